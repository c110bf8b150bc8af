import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { newDatabase, urlOf } from '#test/new-database.ts'
import { folder, forgelet, READY } from './forgelet.ts'
import { forgelet as inProcess } from './in-process.ts'

interface Received {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A server that keeps what it is sent. @param answers whether it ever answers */
async function listener({ answers = true } = {}) {
  const received: Received[] = []
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    received.push({ url: request.url ?? '', headers: request.headers, body: await buffer(request) })
    if (answers) response.setHeader('content-type', 'application/json').end('{}')
  }
  const server = createServer((request, response) => void receive(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const instance = async () => ({
  FORGELET_DATABASE_URL: urlOf(await newDatabase('empty')),
  FORGELET_ROOT_TOKEN: ROOT_TOKEN,
  FORGELET_DATA: folder(),
  FORGELET_SECRET_KEY: 'the master key of the tests, long enough',
})

// The parts of OTLP in JSON that are looked at.
interface Attribute {
  readonly key: string
  readonly value: { stringValue?: string; intValue?: number; doubleValue?: number }
}
interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: Attribute[]
  readonly status: { code?: number }
}
interface Point {
  readonly attributes: Attribute[]
  readonly count?: number
  readonly sum?: number
  readonly asDouble?: number
  readonly bucketCounts?: number[]
}
interface Metric {
  readonly name: string
  readonly histogram?: { dataPoints: Point[] }
  readonly sum?: { dataPoints: Point[]; isMonotonic: boolean }
  readonly gauge?: { dataPoints: Point[] }
}

const of = (attributes: readonly Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue]),
  )

const at = (received: readonly Received[], path: string) => received.filter(({ url }) => url === path)

function spansIn(received: readonly Received[]) {
  interface Body {
    resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: Span[] }[] }[]
  }
  return at(received, '/v1/traces').flatMap(({ body }) =>
    (JSON.parse(body.toString()) as Body).resourceSpans.flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({ ...span, is: of(span.attributes), by: of(resource.attributes) })),
      ),
    ),
  )
}

/** The metrics of the last export. */
function metricsIn(received: readonly Received[]): Metric[] {
  interface Body {
    resourceMetrics: { scopeMetrics: { metrics: Metric[] }[] }[]
  }
  const last = at(received, '/v1/metrics').at(-1)
  return (JSON.parse(String(last?.body)) as Body).resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics),
  )
}

/** Sends one request with headers of its own. */
const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers: { 'private-token': ROOT_TOKEN, ...headers } })

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

const disabled = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }

describe('OpenTelemetry', { timeout: 180_000 }, () => {
  test('gets spans and the metrics of the page, all of them before the server has stopped', async () => {
    const collector = await listener()
    const receiver = await listener()
    const server = forgelet([], {
      ...(await instance()),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20the%20collector',
      OTEL_SERVICE_NAME: 'our-forgelet',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      // Only the end sends: nothing here waits for a timer.
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_METRIC_EXPORT_INTERVAL: '3600000',
    })
    const url = await server.saying(READY)
    const root = new Client(url, { 'private-token': ROOT_TOKEN })
    const allowed = { allow_local_requests_from_web_hooks_and_services: true }
    expect((await root.put('/application/settings', allowed)).status).toBe(200)
    const { body: project } = await root.post('/projects', { name: 'traced', initialize_with_readme: true })
    const hooked = `${receiver.url}/path-secret?key=query-secret`
    const hook = { url: hooked, token: 'hook-secret', issues_events: true }
    expect((await root.post(`/projects/${project.id}/hooks`, hook)).status).toBe(201)
    const issue = { title: 'a private title' }
    expect((await root.post(`/projects/${project.id}/issues`, issue)).status).toBe(201)
    await expect.poll(() => receiver.received.length).toBe(1)
    const asked = await get(`${url}/api/v4/projects/${project.id}/repository/commits?author=somebody`, {
      traceparent: `00-${TRACE}-${PARENT}-01`,
    })
    expect(asked.status).toBe(200)
    expect((await get(`${url}/nowhere/at-all?private_token=x`)).status).toBe(404)
    const page = await (await get(`${url}/-/metrics`)).text()
    server.process.kill('SIGTERM')
    expect(await server.ended).toBe(0)

    const spans = spansIn(collector.received)
    const request = spans.find(({ traceId, kind }) => traceId === TRACE && kind === 2)
    const name = 'GET /api/v4/projects/:id/repository/commits'
    expect(request).toMatchObject({
      name,
      parentSpanId: PARENT,
      is: {
        'http.route': '/api/v4/projects/:id/repository/commits',
        'http.request.method': 'GET',
        'http.response.status_code': 200,
        'forgelet.request_id': asked.headers.get('x-request-id'),
        'forgelet.db.statements': expect.any(Number),
        'forgelet.db.milliseconds': expect.any(Number),
      },
      by: {
        'service.name': 'our-forgelet',
        'service.version': expect.stringMatching(/^\d/),
        'deployment.environment.name': 'test',
      },
    })
    const log = spans.find(({ name: command, traceId }) => command.startsWith('git ') && traceId === TRACE)
    expect(log).toMatchObject({
      parentSpanId: request?.spanId,
      is: { 'forgelet.git.lane': 'read', 'process.exit.code': 0 },
    })
    const sent = spans.find(({ kind }) => kind === 3)
    const { hostname, port } = new URL(receiver.url)
    expect(sent).toMatchObject({
      name: 'POST',
      is: { 'server.address': hostname, 'server.port': Number(port), 'http.response.status_code': 200 },
    })
    const job = spans.find(({ spanId }) => spanId === sent?.parentSpanId)
    expect(job).toMatchObject({
      kind: 5,
      name: expect.stringMatching(/^job /),
      is: { 'forgelet.job.attempt': 1 },
    })
    expect(job?.is['forgelet.db.statements']).toBeGreaterThan(0)
    expect(spans.find(({ is }) => is['http.response.status_code'] === 404)).toMatchObject({ name: 'GET' })
    for (const { headers } of collector.received) expect(headers['x-key']).toBe('of the collector')

    const everything = collector.received.map(({ body }) => body.toString()).join('\n')
    const secrets = [ROOT_TOKEN, 'path-secret', 'query-secret', 'hook-secret', 'private title', 'somebody']
    for (const secret of [...secrets, 'at-all', 'private_token']) expect(everything).not.toContain(secret)

    const metrics = metricsIn(collector.received)
    const named = (text: string) => [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, metric]) => metric)
    const withValues = named(page).filter((metric) => new RegExp(`^${metric}(?:_count)?[ {]`, 'm').test(page))
    expect(metrics.map((metric) => metric.name)).toEqual(expect.arrayContaining(withValues))
    expect(withValues.length).toBeGreaterThan(20)
    const of404 = (point: Point) => of(point.attributes)['status'] === 404
    const requests = metrics.find((one) => one.name === 'forgelet_http_request_duration_seconds')
    const answers = requests?.histogram?.dataPoints.find(of404)
    expect(answers?.count).toBe(1)
    expect(answers?.bucketCounts?.reduce((sum, one) => sum + one, 0)).toBe(1)
    const statements = metrics.find((one) => one.name === 'forgelet_database_statements_total')?.sum
    const [, onPage] = /^forgelet_database_statements_total (\d+)$/m.exec(page) ?? []
    expect(statements?.isMonotonic).toBe(true)
    expect(statements?.dataPoints[0]?.asDouble).toBeGreaterThanOrEqual(Number(onPage))
  })

  test('waits for nothing: a collector that never answers slows neither requests nor the end', async () => {
    const collector = await listener({ answers: false })
    const server = forgelet([], {
      ...(await instance()),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/custom`,
      OTEL_BSP_MAX_QUEUE_SIZE: '2',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '1',
    })
    const url = await server.saying(READY)
    const began = performance.now()
    // With a full queue, the other spans are left out.
    for (let i = 0; i < 10; i += 1) expect((await get(`${url}/api/v4/version`)).status).toBe(200)
    expect(performance.now() - began).toBeLessThan(10_000)
    await expect.poll(() => collector.received.length).toBeGreaterThan(0)
    server.process.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    // In protobuf, by default, and no metrics: they have no address.
    expect(collector.received.length).toBeLessThan(5)
    for (const { url: path, headers, body } of collector.received) {
      expect([path, headers['content-type']]).toEqual(['/custom', 'application/x-protobuf'])
      expect(body.includes('GET /api/v4/version')).toBe(true)
    }
  })

  test('starts and serves without a collector, and says once that it is not there', async () => {
    const server = forgelet([], {
      ...(await instance()),
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_BSP_SCHEDULE_DELAY: '1',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      OTEL_EXPORTER_OTLP_TIMEOUT: '50',
      OTEL_TRACES_SAMPLER: 'no-such-sampler',
    })
    const url = await server.saying(READY)
    const missed = /"msg":"(?:traces|metrics) cannot be exported/g
    await expect
      .poll(async () => {
        expect((await get(`${url}/api/v4/version`)).status).toBe(200)
        return new Set(server.out().match(missed)).size
      })
      .toBe(2)
    server.process.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(server.out().match(missed)).toHaveLength(2)
    expect(server.out()).toContain('OTEL_TRACES_SAMPLER: only always_on')
  })

  test('is not even loaded when it is off', async () => {
    // Tells of each module that holds the exporter's code.
    const watch = `import { registerHooks } from 'node:module'
      registerHooks({ load(url, context, next) {
        const loaded = next(url, context)
        if (String(loaded.source).includes('BatchSpanProcessor')) process.stderr.write('LOADED ' + url)
        return loaded
      } })`
    const server = forgelet([], {
      ...(await instance()),
      ...disabled,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watch)}`,
    })
    await server.saying(READY)
    server.process.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(server.err()).not.toContain('LOADED')
  })

  test('is something that the doctor explains', async () => {
    const data = { FORGELET_DATA: folder() }
    for (const environment of [data, { ...data, ...disabled }])
      expect((await inProcess(['doctor'], environment)).out).toContain('telemetry: off')
    const half = await inProcess(['doctor'], {
      ...data,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    })
    expect(half.out).toContain('✗ telemetry: OTEL_EXPORTER_OTLP_PROTOCOL: only http/protobuf and http/json')
  })
})
