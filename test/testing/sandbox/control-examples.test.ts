import { expect, it } from 'vitest'
import { views } from '../../../src/testing/sandbox/control/views.js'
import { controlExamples } from '../../support/control-examples.js'

it('each route of the control API has an example response without errors', async () => {
  const examples = await controlExamples()

  const [first, ...others] = await Promise.all([controlExamples(), controlExamples()])
  expect(examples.map(({ route }) => route)).toEqual(Object.keys(views).filter((path) => path !== 'events'))
  expect(others).toEqual([first])
  for (const { route, response } of examples) {
    expect(response, route).not.toHaveProperty('error')
    for (const value of Object.values(response)) if (Array.isArray(value)) expect(value, route).not.toEqual([])
  }
})
