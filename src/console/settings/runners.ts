import type { Static } from 'typebox'
import { RunnerRegistration } from '#ci/runners/entity.ts'
import type { PipelineTrigger } from '#ci/triggers/entity.ts'
import type { Runner } from '#code/jobs/runner.ts'
import { type Html, html } from '#platform/http/html.ts'
import { shellWord } from '#platform/shell-word.ts'
import { asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import type { Rights } from '../frame/rights.ts'
import { withoutEmpty } from './common-fields.ts'
import { makesSecret, section } from './sections.ts'

type Kind = 'project' | 'group'

const servedBy = {
  instance_type: 'of the instance',
  group_type: 'of a group',
  project_type: 'of the project',
} as const

/** Programs that run the jobs. */
export function runners(
  forms: Forms,
  list: ListPart<Static<typeof Runner>>,
  rights: Rights,
  kind: Kind,
): Html {
  const mayMake = rights.may(kind === 'project' ? 'admin_project_runner' : 'admin_group_runner')
  return section({
    title: 'Runners',
    about: 'Programs that run the jobs of pipelines.',
    rows: list.items.map(
      ({ id, description, runner_type, status, paused }) =>
        html`<div>
            <strong>${description ?? 'Runner'}</strong> <span class="quiet">#${id}</span>
            <span class="badge">${status.replaceAll('_', ' ')}</span>
            ${paused && html`<span class="badge">paused</span>`}
            <p class="quiet">${servedBy[runner_type]}</p>
          </div>
          ${
            mayMake &&
            runner_type === `${kind}_type` &&
            html`${forms.write({
              does: `pause-runner/${id}`,
              submit: paused ? 'Resume' : 'Pause',
              about: `runner #${id}`,
              looks: 'secondary',
              fields: [{ name: 'paused', label: '', is: 'hidden', value: String(!paused) }],
            })}
            ${forms.write({
              does: `delete-runner/${id}`,
              submit: 'Delete',
              about: `runner #${id}`,
              asks: 'It runs no further jobs, here or elsewhere.',
            })}`
          }`,
    ),
    none: 'No runner takes jobs from here: pipelines wait.',
    others: list.others,
    add:
      mayMake &&
      forms.write({
        does: 'add-runner',
        submit: 'Make the runner',
        opens: 'New runner…',
        fields: [
          { name: 'description', label: 'Description' },
          { name: 'tag_list', label: 'Tags', hint: 'With commas. It takes jobs with no other tags.' },
          { name: 'run_untagged', label: 'It takes jobs without tags, too', is: 'check', value: true },
          { name: 'maximum_timeout', label: 'Longest job, in seconds', is: 'number', hint: 'At least 600.' },
        ],
      }),
  })
}

/** @param owner the id of the project or group @param site where this instance is */
export const runnerActions = (kind: Kind, owner: number, site: string): Actions => ({
  'add-runner': () =>
    withoutEmpty(
      makesSecret(
        RunnerRegistration,
        'POST',
        '/user/runners',
        ({ id, token }) => ({
          title: html`Runner #${id}`,
          label: 'Token',
          secret: token,
          advice: html`<p>
              On the machine that runs the jobs, this asks for the token, and the next one takes jobs:
            </p>
            <pre tabindex="0"><code>forgelet runner register --url ${shellWord(site)}
forgelet runner</code></pre>`,
        }),
        { runner_type: `${kind}_type`, [`${kind}_id`]: owner },
      ),
      'maximum_timeout',
      'tag_list',
    ),
  'pause-runner': (id) =>
    asks({ method: 'PUT', path: `/runners/${encodeURIComponent(id)}`, says: 'The runner is changed.' }),
  'delete-runner': (id) =>
    asks({ method: 'DELETE', path: `/runners/${encodeURIComponent(id)}`, says: 'The runner is deleted.' }),
})

/** Tokens that start pipelines. */
export const triggers = (
  forms: Forms,
  list: ListPart<Static<typeof PipelineTrigger>>,
  rights: Rights,
): Html =>
  section({
    title: 'Trigger tokens',
    about: 'Programs start pipelines with them, as whoever made the token.',
    rows: list.items.map(
      ({ id, description, token, owner, last_used }) =>
        html`<div>
            <strong>${description}</strong>
            <p class="quiet">
              <code>${token}</code> · ${owner?.name} ·
              ${last_used === null ? 'never used' : `last used ${last_used.slice(0, 10)}`}
            </p>
          </div>
          ${
            rights.may('admin_pipeline_trigger') &&
            forms.write({
              does: `delete-trigger/${id}`,
              submit: 'Delete',
              about: description,
              asks: 'Programs that use it are refused from now on.',
            })
          }`,
    ),
    none: 'There is no trigger token.',
    others: list.others,
    add:
      rights.may('admin_pipeline_trigger') &&
      forms.write({
        does: 'add-trigger',
        submit: 'Make the token',
        opens: 'New trigger token…',
        fields: [{ name: 'description', label: 'What it is for', required: true }],
      }),
  })

/** @param address of the project, in the API */
export const triggerActions = (address: string): Actions => ({
  'add-trigger': () =>
    asks({ method: 'POST', path: `${address}/triggers`, says: 'The trigger token is made.' }),
  'delete-trigger': (id) =>
    asks({
      method: 'DELETE',
      path: `${address}/triggers/${encodeURIComponent(id)}`,
      says: 'The trigger token is deleted.',
    }),
})
