import type { Sandbox } from '../sandbox/api.js'
import type { SandboxOptions } from '../sandbox/internal/options.js'
import { assemble } from '../sandbox/sandbox.js'

/** Assembles a sandbox whose server includes the inspector. The pages are loaded on first use. */
export function assembleWithInspector(options: SandboxOptions): ReturnType<typeof assemble> {
  return assemble(options, async (...request) => (await import('./pages.js')).respond(...request))
}

/**
 * Creates a payments service in memory.
 *
 * @example
 * const sandbox = createSandbox()
 * const client = new PaymentsClient(sandbox.clientOptions())
 * @throws {TypeError} An option is unknown or invalid.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return assembleWithInspector(options).sandbox
}
