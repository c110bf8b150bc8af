import type { FastifyRequest } from 'fastify'
import { askInside } from '#platform/http/inner-requests.ts'
import { API } from '#platform/http/routing.ts'
import { path } from '../frame/api.ts'

/** Bytes of a log that a page shows. A hostile one takes some tenths of a second to be shown, and ten times as much HTML. */
const MOST_BYTES = 256 * 1024
const LINE_END = 0x0a

/** A part of a log: whole lines, if they are not longer than the part. */
export interface LogPart {
  readonly text: string
  /** The bytes before it, and those up to its end. */
  readonly start: number
  readonly end: number
  /** Of all of the log. */
  readonly size: number
}

/** Which part: the one before or after so many bytes; by default the last one. */
export interface AskedPart {
  readonly before?: number
  readonly after?: number
  /** Whether more will be written: the last line may not be whole then. */
  readonly grows: boolean
}

/** Where people and programs get the log of a job. */
export const tracePath = (project: number, job: number): string =>
  `${API}${path`/projects/${project}/jobs/${job}/trace`}`

/** Reads a part of the log of a job, as the visitor of the page may read it; a blank one where there is none. */
export async function readLog(
  page: FastifyRequest,
  job: { readonly id: number; readonly project: number },
  asked: AskedPart,
): Promise<LogPart> {
  const { status, headers, bytes } = await askInside(page, {
    method: 'GET',
    path: tracePath(job.project, job.id),
    body: {},
    range: rangeFor(asked),
  })
  const [, first = '0', length = '0'] =
    /^bytes (?:(\d+)-\d+|\*)\/(\d+)$/.exec(headers.get('content-range') ?? '') ?? []
  const size = Number(length)
  if (status !== 206) return { text: '', start: size, end: size, size }
  return wholeLines(bytes, Number(first), size, asked)
}

function rangeFor({ before, after }: AskedPart): string {
  if (before !== undefined && before > 0) return `bytes=${Math.max(0, before - MOST_BYTES)}-${before - 1}`
  if (after !== undefined) return `bytes=${after}-${after + MOST_BYTES - 1}`
  return `bytes=-${MOST_BYTES}`
}

function wholeLines(bytes: Buffer, first: number, size: number, { after, grows }: AskedPart): LogPart {
  const isLast = first + bytes.length >= size
  // Parts after others begin where those ended.
  const from = first === 0 || after !== undefined ? 0 : bytes.indexOf(LINE_END) + 1
  const to = isLast && !grows ? bytes.length : bytes.lastIndexOf(LINE_END) + 1
  const end = to > from ? to : bytes.length
  return { text: bytes.toString('utf8', from, end), start: first + from, end: first + end, size }
}
