import { type Static, Type } from 'typebox'
import { entity, integer, nullable } from '#platform/http/schema.ts'
import type { TestCase } from './junit.ts'

const TestCaseShown = Type.Object({
  status: Type.String(),
  name: Type.String(),
  classname: Type.String(),
  file: nullable(Type.String()),
  execution_time: Type.Number(),
  system_output: nullable(Type.String()),
  stack_trace: Type.Unsafe<null>({ type: 'null', description: 'It is in the output.' }),
  recent_failures: Type.Unsafe<null>({ type: 'null', description: 'Nobody counts them.' }),
})

const counts = {
  total_time: Type.Number(),
  total_count: integer(),
  success_count: integer(),
  failed_count: integer(),
  skipped_count: integer(),
  error_count: integer(),
}

/** What tests of a pipeline said. */
export const TestReport = entity('TestReport', {
  ...counts,
  test_suites: Type.Array(
    Type.Object({
      name: Type.String(),
      ...counts,
      suite_error: nullable(Type.String()),
      test_cases: Type.Array(TestCaseShown),
    }),
  ),
})

export const TestReportSummary = entity('TestReportSummary', {
  total: Type.Object({
    time: Type.Number(),
    count: integer(),
    success: integer(),
    failed: integer(),
    skipped: integer(),
    error: integer(),
    suite_error: nullable(Type.String()),
  }),
  test_suites: Type.Array(
    Type.Object({
      name: Type.String(),
      ...counts,
      build_ids: Type.Array(integer()),
      suite_error: nullable(Type.String()),
    }),
  ),
})

/** The tests of the jobs with one name. */
export interface TestSuite {
  readonly name: string
  readonly jobs: readonly number[]
  readonly cases: readonly TestCase[]
  /** Why some report could not be read. */
  readonly error: string | null
}

function count(cases: readonly TestCase[]) {
  const of = (status: TestCase['status']) => cases.filter((one) => one.status === status).length
  const total_time = cases.reduce((sum, { execution_time }) => sum + execution_time, 0)
  return {
    total_time: Math.round(total_time * 1_000_000) / 1_000_000,
    total_count: cases.length,
    success_count: of('success'),
    failed_count: of('failed'),
    skipped_count: of('skipped'),
    error_count: of('error'),
  }
}

export const presentTestReport = (suites: readonly TestSuite[]): Static<typeof TestReport> => ({
  ...count(suites.flatMap(({ cases }) => cases)),
  test_suites: suites.map(({ name, cases, error }) => ({
    name,
    ...count(cases),
    suite_error: error,
    test_cases: cases.map((one) => ({ ...one, stack_trace: null, recent_failures: null })),
  })),
})

export function presentTestReportSummary(suites: readonly TestSuite[]): Static<typeof TestReportSummary> {
  const all = count(suites.flatMap(({ cases }) => cases))
  return {
    total: {
      time: all.total_time,
      count: all.total_count,
      success: all.success_count,
      failed: all.failed_count,
      skipped: all.skipped_count,
      error: all.error_count,
      suite_error: suites.find(({ error }) => error !== null)?.error ?? null,
    },
    test_suites: suites.map(({ name, jobs, cases, error }) => ({
      name,
      ...count(cases),
      build_ids: [...jobs],
      suite_error: error,
    })),
  }
}
