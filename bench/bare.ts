import Fastify from 'fastify'
import { openPool } from '#db/pool.ts'

// The measure: Fastify with nothing but `pg`, running the statements that it is given, one after the other, and
// answering with the rows of the last.

interface Given {
  readonly address: { host: string; port: number; user: string; database: string }
  readonly statements: readonly { text: string; values: unknown[] }[]
}

const { address, statements }: Given = JSON.parse(process.argv[2] ?? '')
const pool = openPool(address, 10)
const app = Fastify()
app.get('/', async () => {
  let rows: unknown[] = []
  for (const [index, { text, values }] of statements.entries()) {
    ;({ rows } = await pool.query({ name: `bare_${index}`, text, values }))
  }
  return rows
})
const url = await app.listen({ port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
process.once('SIGTERM', () => process.exit(0))
