import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { version } from '../../src/core/version.js'

describe('the export `version`', () => {
  it('exports the version from package.json', () => {
    expect(version).toBe(packageJson.version)
  })
})
