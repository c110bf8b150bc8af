import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { startServer } from '../src/server.ts'

// A server with the plan that virtual registries need; says so once it answers.

const log = pino({ level: 'silent' })
const server = await startServer({ config: readConfig(process.env), log, plan: 'premium' })
process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)))
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
