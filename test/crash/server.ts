import { flushCompileCache } from 'node:module'
import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { startServer } from '../../src/server.ts'

// A Forgelet in a process of its own, for tests that kill it. Says where it listens, once it does.

const log = pino({ level: process.env['TEST_LOG'] ?? 'fatal' }, pino.destination(2))
const plan = process.env['TEST_PLAN'] === 'premium' ? { plan: 'premium' as const } : {}
const { url } = await startServer({ config: readConfig(process.env), log, withPassword: false, ...plan })
// Whoever is killed has no time for it later.
flushCompileCache()
process.stdout.write(`${JSON.stringify({ url })}\n`)
