import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Db } from '#platform/db/pool.ts'
import type { Files } from '#platform/files/files.ts'
import type { TestSuite } from './entity.ts'
import { readJunit, ReportUnreadable, type TestCase } from './junit.ts'

/** Bytes of one report, and of all of a pipeline, once unpacked. */
const MOST_OF_ONE = 10 * 1024 * 1024
const MOST_OF_ALL = 50 * 1024 * 1024
const unzip = promisify(gunzip)

interface Report {
  readonly job_id: number
  readonly name: string
  readonly file_id: string
  readonly file_format: string | null
}

/** Reads the reports of the tests of a pipeline: a suite for each name of jobs, whose copies by `parallel` count together. */
export async function readSuites(
  { db, files }: { readonly db: Db; readonly files: Files },
  pipelineId: number,
): Promise<TestSuite[]> {
  const reports: Report[] = await db
    .selectFrom('ci_job_artifacts as a')
    .innerJoin('ci_jobs as j', 'j.id', 'a.job_id')
    .select(['a.job_id', 'j.name', 'a.file_id', 'a.file_format'])
    .where('j.pipeline_id', '=', pipelineId)
    .where('j.retried', '=', false)
    .where('a.file_type', '=', 'junit')
    .orderBy('j.id')
    .execute()
  const suites = new Map<string, { jobs: number[]; cases: TestCase[]; error: string | null }>()
  let left = MOST_OF_ALL
  for (const report of reports) {
    const name = report.name.replace(/(?:\s+\d+\/\d+|:\s*\[.*\])$/, '')
    const suite = suites.get(name) ?? { jobs: [], cases: [], error: null }
    suites.set(name, suite)
    suite.jobs.push(report.job_id)
    try {
      const text = await textOf(files, report, Math.min(left, MOST_OF_ONE))
      left -= text.length
      for (const one of await readJunit(text)) suite.cases.push(one)
    } catch (error) {
      if (!(error instanceof ReportUnreadable)) throw error
      suite.error ??= error.message
    }
  }
  return [...suites].map(([name, suite]) => ({ name, ...suite }))
}

async function textOf(files: Files, { file_id, file_format }: Report, most: number): Promise<string> {
  const file = await files.find(file_id)
  const stream = file && (await files.read(file))
  if (file === undefined || stream === undefined) throw new ReportUnreadable('The report is gone')
  if (file.size > most) throw new ReportUnreadable('The report is too large to be read')
  const bytes = await buffer(stream)
  if (file_format !== 'gzip') return bytes.toString('utf8')
  return (await unpacked(bytes, most)).toString('utf8')
}

async function unpacked(bytes: Buffer, most: number): Promise<Buffer> {
  try {
    return await unzip(bytes, { maxOutputLength: most })
  } catch (error) {
    throw new ReportUnreadable('The report cannot be unpacked', { cause: error })
  }
}
