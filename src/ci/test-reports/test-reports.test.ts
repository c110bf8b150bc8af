import { expect, test } from 'vitest'
import { projectWithCi } from '../test-support.ts'

const JUNIT = `<?xml version="1.0"?>
<!DOCTYPE x [<!ENTITY bomb "never">]>
<testsuites>
  <testsuite name="all">
    <testcase name="adds" classname="Sum" file="sum.rb" time="0.5"/>
    <testcase name="divides" classname="Sum" time="1.25"><failure message="by zero">stack &lt;here&gt;</failure></testcase>
    <testcase name="breaks" classname="Sum"><error><![CDATA[boom]]></error></testcase>
    <testcase name="waits" classname="Sum"><skipped/></testcase>
  </testsuite>
</testsuites>`

test('reports of jobs are read, and copies of one job count together', async () => {
  const p = await projectWithCi('unit: { script: x, parallel: 2 }\nother: { script: x }')
  const { id } = await p.create()
  const first = await p.run(id, 'unit 1/2', { status: 'failed', reports: { junit: JUNIT } })
  const second = await p.run(id, 'unit 2/2', {
    status: 'success',
    reports: { junit: '<testsuite><testcase name="more" time="1,000.5"/></testsuite>' },
  })
  const broken = await p.run(id, 'other', { status: 'success', reports: { junit: 'no xml at all' } })
  const { status, body } = await p.reporter.get(`${p.base}/pipelines/${id}/test_report`)
  expect([status, body]).toEqual([
    200,
    {
      total_time: 1_002.25,
      total_count: 5,
      success_count: 2,
      failed_count: 1,
      skipped_count: 1,
      error_count: 1,
      test_suites: [
        {
          name: 'unit',
          total_time: 1_002.25,
          total_count: 5,
          success_count: 2,
          failed_count: 1,
          skipped_count: 1,
          error_count: 1,
          suite_error: null,
          test_cases: expect.arrayContaining([
            {
              status: 'success',
              name: 'adds',
              classname: 'Sum',
              file: 'sum.rb',
              execution_time: 0.5,
              system_output: null,
              stack_trace: null,
              recent_failures: null,
            },
            expect.objectContaining({
              name: 'divides',
              status: 'failed',
              system_output: 'by zero\nstack <here>',
            }),
            expect.objectContaining({ name: 'breaks', status: 'error', system_output: 'boom' }),
            expect.objectContaining({ name: 'waits', status: 'skipped' }),
          ]),
        },
        expect.objectContaining({
          name: 'other',
          total_count: 0,
          suite_error: expect.stringContaining('cannot be read'),
          test_cases: [],
        }),
      ],
    },
  ])
  const summary = await p.reporter.get(`${p.base}/pipelines/${id}/test_report_summary`)
  expect(summary.body.total).toEqual({
    time: 1_002.25,
    count: 5,
    success: 2,
    failed: 1,
    skipped: 1,
    error: 1,
    suite_error: expect.any(String),
  })
  expect(summary.body.test_suites.map((suite: { build_ids: number[] }) => suite.build_ids)).toEqual([
    [first, second],
    [broken],
  ])
})

test('a pipeline without reports has an empty one', async () => {
  const p = await projectWithCi('job: { script: x }')
  const { id } = await p.create()
  expect((await p.reporter.get(`${p.base}/pipelines/${id}/test_report`)).body).toMatchObject({
    total_count: 0,
    test_suites: [],
  })
  expect((await p.reporter.get(`${p.base}/pipelines/1000000000/test_report`)).status).toBe(404)
})
