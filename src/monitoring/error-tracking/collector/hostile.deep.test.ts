import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MeasuredServer } from '#test/measured-server.ts'
import { w } from '#test/world.ts'
import { envelope, failure, post, tracked } from '../test-support.ts'

/** Few in the suite; `ERROR_PAYLOADS=20000` for all. */
const payloads = Number(process.env['ERROR_PAYLOADS'] ?? 300)

/** From so many payloads on, a server in a process of its own answers, whose memory says whether some of it leaks. */
const MEASURED = 2_000

/** The names that the program reads, so that what stands there is anything. */
const names = [
  'event_id',
  'timestamp',
  'level',
  'platform',
  'message',
  'logentry',
  'formatted',
  'exception',
  'values',
  'type',
  'value',
  'stacktrace',
  'frames',
  'function',
  'module',
  'filename',
  'lineno',
  'in_app',
  'pre_context',
  'context_line',
  'vars',
  'mechanism',
  'handled',
  'fingerprint',
  'transaction',
  'release',
  'environment',
  'user',
  'id',
  'ip_address',
  'request',
  'tags',
  'extra',
  'contexts',
  'breadcrumbs',
  'threads',
  'sdk',
  'name',
  'version',
  '__proto__',
  'constructor',
  'toString',
]
const { node } = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 6, depthSize: 'medium' },
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ maxLength: 40 }),
      fc.double(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom(
        '{{ default }}',
        '{{auto}}',
        '\0',
        '\ud800',
        'error',
        '9'.repeat(400),
        'x'.repeat(3000),
      ),
    ),
    fc.array(tie('node'), { maxLength: 5 }),
    fc.dictionary(fc.constantFrom(...names), tie('node'), { maxKeys: 8 }),
  ),
}))
const event = fc.oneof(
  node,
  fc.tuple(node, fc.constantFrom(...names)).map(([value, name]) => ({ ...failure(), [name]: value })),
)
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: event.map((one) => envelope([[{ type: 'event' }, JSON.stringify(one) ?? 'null']])),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(fc.tuple(fc.record({ type: node, length: node }, { requiredKeys: [] }), fc.json()), {
        maxLength: 4,
      })
      .map((items) => envelope(items.map(([head, payload]) => [head, payload] as const))),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
)
const coding = fc.constantFrom('', '', '', 'gzip', 'gzip, gzip', 'br', 'zstd', 'deflate', 'none')

test(
  `whatever programs send, it is no failure of the server, and does not stop the next event (${payloads} payloads)`,
  async () => {
    const place = await tracked(w)
    await using server = payloads < MEASURED ? undefined : await MeasuredServer.start(w)
    const api = server === undefined ? place.api : place.api.replace(w.url, server.url)
    const answers: number[] = []
    const memory: number[] = []
    let batches = 0
    const send = async ([bytes, name, path]: readonly [Buffer, string, string]) => {
      const isReal = name === 'gzip'
      const headers = { ...place.auth, ...(name !== '' && { 'content-encoding': name }) }
      const { status } = await post(`${api}/${path}/`, isReal ? gzipSync(bytes) : bytes, headers)
      answers.push(status)
      return status < 500
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(body, coding, fc.constantFrom('envelope', 'envelope', 'store')), {
          minLength: 10,
          maxLength: 10,
        }),
        async (batch) => {
          const heard = await Promise.all(batch.map(send))
          expect(heard).not.toContain(false)
          batches += 1
          if (server !== undefined && batches % Math.ceil(payloads / 100) === 0)
            memory.push((await server.measure('collected')).rss / 1024 / 1024)
        },
      ),
      { numRuns: Math.ceil(payloads / 10), endOnFailure: true },
    )
    if (server !== undefined) {
      console.log(`megabytes after each tenth: ${memory.map((one) => one.toFixed(0)).join(' ')}`)
      expect((memory.at(-1) ?? Infinity) - (memory[2] ?? 0)).toBeLessThan(50)
    }
    const others = answers.filter((status) => ![200, 400, 413, 415].includes(status))
    expect(others).toEqual([])
    expect(answers.filter((status) => status === 200).length).toBeGreaterThan(answers.length / 20)
    await place.report({ message: 'after all that', fingerprint: ['the end'] })
    await place.expectErrors([{ title: 'after all that', events_count: 1 }], '?query=after%20all%20that')
    await expect.poll(() => w.db.selectFrom('error_inbox').select('id').execute()).toEqual([])
    const { body: all } = await place.maintainer.get(`${place.base}/errors?per_page=100`)
    for (const { id } of all.slice(0, 30))
      expect((await place.maintainer.get(`${place.base}/errors/${id}`)).status).toBe(200)
  },
  120_000 + payloads * 50,
)
