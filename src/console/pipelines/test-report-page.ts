import type { Static } from 'typebox'
import { TestReport } from '#ci/test-reports/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { emptyList } from '../frame/lists.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { durationInWords, titled } from '../parts/words.ts'
import { testCounts } from './pipeline-page.ts'

type Suite = Static<typeof TestReport>['test_suites'][number]
type Case = Suite['test_cases'][number]

/** Tests of one suite, and characters of what one wrote, that a page shows. */
const MOST_TESTS = 200
const MOST_OUTPUT = 20_000

const order = ['failed', 'error', 'skipped', 'success']

/** What the tests of a pipeline said: those that failed first. */
export async function testReportPage(api: Api, project: EitherProject, id: number): Promise<View> {
  const report = await api.get(TestReport, path`/projects/${project.id}/pipelines/${id}/test_report`)
  const { total_count, success_count, failed_count, error_count, skipped_count, total_time } = report
  return {
    title: `Tests of pipeline #${id} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Pipelines'),
    body: html`<h1>Tests of <a href="${pageOf(project, `pipelines/${id}`)}">pipeline #${id}</a></h1>
      ${
        report.test_suites.length === 0
          ? emptyList('There is no test report. Jobs leave one with artifacts:reports:junit.')
          : html`<p>
              ${testCounts({
                count: total_count,
                success: success_count,
                failed: failed_count,
                error: error_count,
                skipped: skipped_count,
                time: total_time,
              })}
            </p>`
      }
      ${report.test_suites.map(suite)}`,
  }
}

function suite({ name, suite_error, test_cases }: Suite): Html {
  const sorted = test_cases.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status))
  const left = sorted.length - MOST_TESTS
  return html`<section aria-label="${name}">
    <h2>${name}</h2>
    ${suite_error !== null && html`<p class="alert">${suite_error}</p>`}
    <ul class="rows">
      ${sorted.slice(0, MOST_TESTS).map((one) => html`<li>${testCase(one)}</li>`)}
    </ul>
    ${left > 0 && html`<p class="quiet">${left} more are not shown.</p>`}
  </section>`
}

const looks: Readonly<Record<string, string>> = { failed: 'bad', error: 'bad', success: 'good' }
const words: Readonly<Record<string, string>> = { success: 'Passed', error: 'Broke' }

const testCase = ({ name, classname, status, execution_time, system_output, file }: Case): Html =>
  html`<div>
      <span class="ci ${looks[status] ?? 'still'}">${words[status] ?? titled(status)}</span>
      <strong>${name}</strong>
      <p class="quiet">${classname} ${file !== null && html`<code>${file}</code>`}</p>
      ${
        system_output !== null &&
        system_output !== '' &&
        html`<details>
          <summary>What it wrote</summary>
          <pre class="lines" tabindex="0">${system_output.slice(0, MOST_OUTPUT)}</pre>
        </details>`
      }
    </div>
    <p class="quiet aside">${durationInWords(execution_time)}</p>`
