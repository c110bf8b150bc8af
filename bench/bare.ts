import Fastify from 'fastify'
import type pg from 'pg'
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

// As the program does it, the transaction begins in the round trip of its first statement and ends in that of its last.
app.post('/', async () => {
  const [who, ...rest] = named
  if (who !== undefined) await pool.query(who)
  const client = await pool.connect()
  const sent: Promise<pg.QueryResult>[] = [client.query('begin')]
  for (const [index, statement] of rest.entries()) {
    sent.push(client.query(statement))
    if (index < rest.length - 1) await sent.at(-1)
  }
  const last = sent.at(-1)
  await Promise.all([...sent, client.query('commit')])
  client.release()
  return (await last)?.rows
})

/** Bytes travel as JSON in the form that Node gives them. */
function reviveBuffers(_key: string, value: unknown): unknown {
  const bytes = typeof value === 'object' && value !== null && 'type' in value && value.type === 'Buffer'
  return bytes && 'data' in value && Array.isArray(value.data) ? Buffer.from(value.data) : value
}

const url = await app.listen({ port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
process.once('SIGTERM', () => void pool.end().finally(() => process.exit(0)))
