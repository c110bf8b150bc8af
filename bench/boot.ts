import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { startServer } from '../src/server.ts'

// A start as `npm start` does it; says so once it answers.

const server = await startServer({ config: readConfig(process.env), log: pino({ level: 'silent' }) })
process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)))
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`)
