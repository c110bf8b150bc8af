import { afterAll, afterEach } from 'vitest'
import { checkFile } from './checks.ts'
import { clock } from './clock.ts'

// Modules are shared between the files of a worker: a clock that one test held would stop the next.
afterEach(() => clock.release())

afterAll(checkFile)
