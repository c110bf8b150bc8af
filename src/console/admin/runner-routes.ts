import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { RunnerRegistration } from '#ci/runners/entity.ts'
import { Runner, runnerStatuses, runnerTypes } from '#code/jobs/runner.ts'
import { type Html, html } from '#platform/http/html.ts'
import { oneOf, text } from '#platform/http/schema.ts'
import { shellWord } from '#platform/shell-word.ts'
import { asks } from '../frame/action.ts'
import type { Forms } from '../frame/forms.ts'
import { listOf } from '../frame/list-page.ts'
import { addressOf, choices, pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { inWords } from '../parts/words.ts'
import { withoutEmpty } from '../settings/common-fields.ts'
import { makesSecret } from '../settings/sections.ts'
import { adminPage, Nothing } from './frame.ts'

const HERE = '/admin/runners'

const kinds = {
  instance_type: 'of the instance',
  group_type: 'of a group',
  project_type: 'of a project',
} as const

/** All programs that run jobs, and those of the instance. */
export const runnerAdminPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/runners', 'Runners', {
    params: Nothing,
    querystring: Type.Object({
      page: pageNumber,
      type: Type.Optional(oneOf(runnerTypes)),
      status: Type.Optional(oneOf(runnerStatuses)),
      tag_list: Type.Optional(text({ max: 255 })),
    }),
    async show({ api, query: { page, type, status, tag_list }, forms }) {
      const tabs = choices('Kinds of runners', [
        { title: 'All', address: HERE, here: type === undefined },
        ...runnerTypes.map((one) => ({
          title: titles[one],
          address: addressOf(HERE, { type: one }),
          here: type === one,
        })),
      ])
      const list = await listOf(
        api,
        type === undefined ? HERE : addressOf(HERE, { type }),
        {
          title: 'Runners',
          api: '/runners/all',
          query: { type },
          item: Runner,
          row: (runner) => runnerRow(runner, forms),
          none:
            type === undefined
              ? 'There is no runner. Runners run the jobs of pipelines.'
              : 'There is no runner of this kind.',
          tabs,
        },
        { page },
        { status, tag_list },
      )
      return {
        title: 'Runners',
        body: html`${list}
          <div class="actions">${newRunner(forms)}</div>`,
      }
    },
    actions: ({ request }) => ({
      'add-runner': () =>
        withoutEmpty(
          makesSecret(
            RunnerRegistration,
            'POST',
            '/user/runners',
            (made) => ({
              title: html`Runner #${made.id}`,
              label: 'Token',
              secret: made.token,
              advice: html`<p>
                  On the machine that runs the jobs, this asks for the token, and the next one takes jobs:
                </p>
                <pre tabindex="0"><code>forgelet runner register --url ${shellWord(request.site)}
forgelet runner</code></pre>`,
            }),
            { runner_type: 'instance_type' },
          ),
          'maximum_timeout',
          'tag_list',
        ),
      pause: (id) =>
        asks({
          method: 'PUT',
          path: one(id),
          also: { paused: true },
          says: 'The runner takes no further jobs.',
        }),
      resume: (id) =>
        asks({ method: 'PUT', path: one(id), also: { paused: false }, says: 'The runner takes jobs again.' }),
      delete: (id) => asks({ method: 'DELETE', path: one(id), says: 'The runner is deleted.' }),
    }),
  })
}

const one = (id: string): string => `/runners/${encodeURIComponent(id)}`

const titles = { instance_type: 'Instance', group_type: 'Groups', project_type: 'Projects' } as const

function runnerRow(
  { id, description, runner_type, status, paused, created_at }: Static<typeof Runner>,
  forms: Forms,
): Html {
  const about = `runner #${id}`
  return html`<div>
      <strong>${description === null || description === '' ? 'Runner' : description}</strong>
      <span class="quiet">#${id}</span> ${paused && html`<span class="badge">paused</span>`}
      <p class="quiet">${kinds[runner_type]}, since ${since(created_at)}</p>
    </div>
    <p class="aside"><span class="ci ${looks[status]}">${inWords(status)}</span></p>
    <div class="actions">
      ${forms.write({
        does: `${paused ? 'resume' : 'pause'}/${id}`,
        submit: paused ? 'Resume' : 'Pause',
        about,
        looks: 'secondary',
      })}
      ${forms.write({ does: `delete/${id}`, submit: 'Delete', about, asks: 'It runs no further jobs, here or elsewhere.' })}
    </div>`
}

const looks = { online: 'good', offline: 'warns', stale: 'still', never_contacted: 'still' } as const

const newRunner = (forms: Forms): Html =>
  forms.write({
    does: 'add-runner',
    submit: 'Make the runner',
    opens: 'New runner of the instance…',
    fields: [
      { name: 'description', label: 'Description' },
      { name: 'tag_list', label: 'Tags', hint: 'With commas. It takes jobs with no other tags.' },
      { name: 'run_untagged', label: 'It takes jobs without tags, too', is: 'check', value: true },
      { name: 'maximum_timeout', label: 'Longest job, in seconds', is: 'number', hint: 'At least 600.' },
    ],
  })
