import { setImmediate } from 'node:timers/promises'

export type CaseStatus = 'success' | 'failed' | 'error' | 'skipped'

/** One test, as a report has it. */
export interface TestCase {
  readonly status: CaseStatus
  readonly name: string
  readonly classname: string
  readonly file: string | null
  readonly execution_time: number
  readonly system_output: string | null
}

/** Tests of one report, elements in each other, and characters of one output. */
const MOST_CASES = 100_000
const MOST_LEVELS = 50
const MOST_OUTPUT = 20_000
/** Characters that are read at once: others have their turn in between. */
const SLICE = 64 * 1024

/** A report that cannot be read. */
export class ReportUnreadable extends Error {
  override readonly name = 'ReportUnreadable'
}

interface OpenCase extends Omit<TestCase, 'status' | 'system_output'> {
  status: CaseStatus
  output: string
}

const outcomes: Readonly<Record<string, CaseStatus>> = {
  failure: 'failed',
  error: 'error',
  skipped: 'skipped',
}

/**
 * Reads a report in the form of JUnit. Entities of its own are left as they are written.
 * @throws {ReportUnreadable} for what is no XML, and for what is too large
 */
export async function readJunit(text: string): Promise<TestCase[]> {
  // Few servers ever need it.
  const { default: sax } = await import('sax')
  const parser = sax.parser(true, { trim: false })
  const cases: TestCase[] = []
  let open: OpenCase | undefined
  let level = 0
  let inOutput = false
  const found: { problem?: string } = {}
  const take = (piece: string): void => {
    if (open !== undefined && inOutput && open.output.length < MOST_OUTPUT)
      open.output = (open.output + piece).slice(0, MOST_OUTPUT)
  }
  // This parser has no listeners but these.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  parser.onerror = (error) => {
    found.problem ??= error.message.split('\n')[0] ?? 'it is no XML'
    parser.resume()
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  parser.ontext = take
  parser.oncdata = take
  parser.onopentag = ({ name, attributes }) => {
    level += 1
    if (level > MOST_LEVELS) found.problem ??= 'its elements are too deep in each other'
    const attribute = (key: string): string => {
      const value = attributes[key]
      return typeof value === 'string' ? value : ''
    }
    if (name === 'testcase') {
      open = {
        status: 'success',
        name: attribute('name').slice(0, 1_000),
        classname: attribute('classname').slice(0, 1_000),
        file: attribute('file') === '' ? null : attribute('file').slice(0, 1_000),
        execution_time: secondsOf(attribute('time')),
        output: '',
      }
      return
    }
    const outcome = outcomes[name]
    if (open === undefined) return
    if (outcome !== undefined) {
      open.status = outcome
      inOutput = true
      take(attribute('message') === '' ? '' : `${attribute('message')}\n`)
    } else if (name === 'system-out') inOutput = true
  }
  parser.onclosetag = (name) => {
    level -= 1
    if (name in outcomes || name === 'system-out') inOutput = false
    if (name !== 'testcase' || open === undefined) return
    const { output, ...rest } = open
    cases.push({ ...rest, system_output: output.trim() === '' ? null : output.trim() })
    open = undefined
    if (cases.length > MOST_CASES) found.problem ??= `it has more than ${MOST_CASES} tests`
  }
  for (let at = 0; at < text.length && found.problem === undefined; at += SLICE) {
    parser.write(text.slice(at, at + SLICE))
    await setImmediate()
  }
  if (found.problem === undefined) parser.close()
  if (found.problem !== undefined) throw new ReportUnreadable(`The report cannot be read: ${found.problem}`)
  return cases
}

/** Seconds, also as `1,234.5`. */
function secondsOf(text: string): number {
  const seconds = Number(text.replaceAll(',', ''))
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0
}
