import { afterAll, afterEach, inject } from 'vitest'
import { undescribedAnswers } from './answered.ts'
import { clock } from './clock.ts'
import { stopNodes } from './nodes.ts'
import { undeclaredBodies } from './written.ts'

// Modules are shared between the files of a worker: a clock that one test held would stop the next.
afterEach(() => clock.release())

// Clients are generated from the description of the API: it has every status that any test was answered.
afterAll(() => {
  const missing = undescribedAnswers(inject('answers'))
  if (missing.length > 0) throw new Error(`openapi.json lacks these answers:\n${missing.join('\n')}`)
})

// Nothing is shown that the description of the API does not name.
afterAll(() => {
  const found = undeclaredBodies()
  if (found.length > 0) throw new Error(`These bodies are not as their routes declare:\n${found.join('\n')}`)
})

afterAll(async () => {
  const left = await stopNodes()
  if (left > 0) throw new Error(`${left} servers of World.another() were still running`)
})
