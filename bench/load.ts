import autocannon from 'autocannon'
import { cpuOf } from './children.ts'
import { type Effort, median } from './measures.ts'

/** A request to send over and over. */
export interface Load {
  readonly url: string
  readonly headers?: Record<string, string>
  /** The body of a POST; without one it is a GET. */
  readonly body?: string
  /** Makes the body of each request, instead of `body`. */
  readonly bodies?: () => string
  readonly method?: 'PUT'
  /** Each connection takes the next of these paths, instead of that in the URL. */
  readonly paths?: readonly string[]
  /** Makes each request, instead of all of the above. */
  readonly mixed?: () => MixedRequest
}

export interface MixedRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: string
}

/** What came of it. */
export interface Outcome {
  readonly perSecond: number
  /** Milliseconds within which half, nine tenths and 99 of 100 requests were answered. */
  readonly percentiles: readonly [p50: number, p90: number, p99: number]
  /** Answers that were no success, by status; 0 stands for none at all. */
  readonly refused: number
}

/** The connections that jobs are measured with. */
export const CONNECTIONS = 16

/** Sends requests for some seconds. */
export async function send(load: Load, seconds: number, connections = CONNECTIONS): Promise<Outcome> {
  const { url, headers = {}, body, bodies, method = 'POST' as const, paths, mixed } = load
  const posting =
    body === undefined && bodies === undefined
      ? { headers }
      : { method: method, body: body ?? '', headers: { ...headers, 'content-type': 'application/json' } }
  let next = 0
  const { duration, latency, non2xx, errors, ...result } = await autocannon({
    url,
    ...posting,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const path = paths?.[next % paths.length]
      next += 1
      if (path !== undefined) client.setRequests([{ path }])
      if (mixed !== undefined) {
        // autocannon leaves the length of a body in the headers, so each request has headers of its own.
        client.setRequests([
          { setupRequest: (request) => ({ ...request, body: undefined, ...withHeaders(mixed(), headers) }) },
        ])
      }
      if (bodies !== undefined) {
        client.setRequests([{ setupRequest: (request) => ({ ...request, body: bodies() }) }])
      }
    },
  })
  return {
    perSecond: result['2xx'] / duration,
    percentiles: [latency.p50, latency.p90, latency.p99],
    refused: non2xx + errors,
  }
}

const withHeaders = (request: MixedRequest, headers: Record<string, string>) => ({
  ...request,
  headers: request.body === undefined ? { ...headers } : { ...headers, 'content-type': 'application/json' },
})

/** The same. @throws when an answer is no success. */
export async function sendAll(load: Load, seconds: number): Promise<Outcome> {
  const outcome = await send(load, seconds)
  if (outcome.refused > 0) throw new Error(`${load.url}: ${outcome.refused} requests were refused`)
  return outcome
}

/** What a request costs, and what share of another's throughput it reaches. */
export interface Comparison extends Outcome {
  readonly share: number
  /** CPU microseconds for a request, of a process and all that it started, PostgreSQL included. */
  readonly cpu: number
}

/** Seconds of each turn. The speed of a machine changes from one moment to the next: short turns share each moment. */
const TURN = 2

/** Sends both in turn, first to warm up; the medians of the other turns are the result. They take as long as the rounds. */
export async function compare(
  ours: Load & { readonly pid: number },
  theirs: Load,
  { seconds, rounds }: Effort,
): Promise<Comparison> {
  const found: Comparison[] = []
  await sendAll(ours, seconds)
  await sendAll(theirs, seconds)
  for (let left = rounds * seconds; left > 0; left -= TURN) {
    const before = await cpuOf(ours.pid)
    const outcome = await sendAll(ours, TURN)
    const cpu = ((await cpuOf(ours.pid)) - before) / (outcome.perSecond * TURN)
    const other = await sendAll(theirs, TURN)
    found.push({ ...outcome, cpu, share: outcome.perSecond / other.perSecond })
  }
  const middle = (value: (one: Comparison) => number) => median(found.map(value))
  return {
    perSecond: middle((one) => one.perSecond),
    percentiles: [
      middle((one) => one.percentiles[0]),
      middle((one) => one.percentiles[1]),
      middle((one) => one.percentiles[2]),
    ],
    refused: 0,
    cpu: middle((one) => one.cpu),
    share: middle((one) => one.share),
  }
}
