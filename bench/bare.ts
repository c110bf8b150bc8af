import Fastify from 'fastify'
import { openPool } from '#platform/db/pool.ts'
import type { Served, Statement } from './serve.ts'

// The measure: Fastify with nothing but `pg`, running the statements that it is given, one after the other, and
// answering with the rows of the last; a write does all but the first of them in a transaction.

interface Given {
  readonly address: Served['address']
  readonly statements: readonly Statement[]
}

const { address, statements }: Given = JSON.parse(process.argv[2] ?? '', reviveBuffers)
const pool = openPool(address, 10)
const app = Fastify()
const named = statements.map(({ text, values }, index) => ({
  name: `bare_${index}`,
  text,
  values: [...values],
}))

app.get('/', async () => {
  let rows: unknown[] = []
  for (const statement of named) ({ rows } = await pool.query(statement))
  return rows
})

app.post('/', async () => {
  const [who, ...rest] = named
  if (who !== undefined) await pool.query(who)
  const client = await pool.connect()
  let rows: unknown[] = []
  await client.query('begin')
  for (const statement of rest) ({ rows } = await client.query(statement))
  await client.query('commit')
  client.release()
  return rows
})

/** Bytes travel as JSON in the form that Node gives them. */
function reviveBuffers(_key: string, value: unknown): unknown {
  const bytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'
  return bytes && 'data' in value && Array.isArray(value.data) ? Buffer.from(value.data) : value
}

const url = await app.listen({ port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
process.once('SIGTERM', () => void pool.end().finally(() => process.exit(0)))
