import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { BackgroundJob } from '#administration/background-jobs/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import type { Forms } from '../frame/forms.ts'
import { emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { adminPage, Nothing } from './frame.ts'

const HERE = '/admin/background_jobs'
const API = '/background_jobs/dead'

/** Background work that failed for good. */
export const backgroundJobPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/background_jobs', 'Failed jobs', {
    params: Nothing,
    querystring: Type.Object({ page: pageNumber }),
    show: async ({ api, query: { page }, forms }) => {
      const list = await api.list(BackgroundJob, API, { page })
      return {
        title: 'Failed jobs',
        body: html`<h1>Failed jobs</h1>
          <p class="quiet">
            Background work is tried again and again for about two days. What is here needs somebody: mend
            what the error names, then retry it.
          </p>
          ${
            list.items.length === 0
              ? emptyList('No background work has failed for good.')
              : html`<ul class="rows">
                    ${list.items.map((job) => html`<li>${jobRow(job, forms)}</li>`)}
                  </ul>
                  ${otherPages(list, page, HERE, {})}
                  <div class="actions">
                    ${forms.write({
                      does: 'retry-all',
                      submit: 'Retry all',
                      asks: 'Each runs at once, and gets all its tries again: at most 1,000, the oldest first.',
                    })}
                  </div>`
          }`,
      }
    },
    actions: () => ({
      retry: (id) =>
        asks({ method: 'POST', path: `${API}/${encodeURIComponent(id)}/retry`, says: 'The job runs again.' }),
      'retry-all': () => asks({ method: 'POST', path: `${API}/retry`, says: 'The jobs run again.' }),
    }),
  })
}

const jobRow = (
  { id, task, attempts, last_error, created_at, failed_at }: Static<typeof BackgroundJob>,
  forms: Forms,
): Html =>
  html`<div>
      <strong><code>${task}</code></strong> <span class="quiet">#${id}</span>
      <p class="quiet">Tried ${attempts} times, last ${since(failed_at)}, added ${since(created_at)}</p>
      ${last_error !== null && html`<pre class="message">${last_error}</pre>`}
    </div>
    ${forms.write({ does: `retry/${id}`, submit: 'Retry', about: `${task} ${id}`, looks: 'secondary' })}`
