import { afterAll, afterEach, expect, inject } from 'vitest'
import { undescribedAnswers } from './answered.ts'
import { clock } from './clock.ts'

// Modules are shared between the files of a worker: a clock that one test held would stop the next.
afterEach(() => clock.release())

// Clients are generated from the description of the API: it has every status that any test was answered.
afterAll(() => expect(undescribedAnswers(inject('answers'))).toEqual([]))
