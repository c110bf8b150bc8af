import { Branch } from '#code/branches/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import type { Forms } from '../frame/forms.ts'
import { addressOf } from '../frame/lists.ts'
import { pageOf } from '../frame/project.ts'
import type { Rights } from '../frame/rights.ts'
import { NO_MERGE_REQUEST, planningFields } from '../items/planning-fields.ts'
import { descriptionTemplates, templateChoice } from '../items/templates.ts'
import { comparison } from '../repository/compare-page.ts'
import type { DiffView } from '../repository/diffs.ts'

/** What an address says of a new merge request: `?merge_request[source_branch]=topic`. */
export interface Proposed {
  readonly source_branch?: string | undefined
  readonly target_branch?: string | undefined
  readonly target_project_id?: number | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/** Branches that a field completes. */
const MOST = 100

/** Asks which branch is to be merged into which. @param targets the projects that may get it: this one, and what it is a fork of */
export async function chooseBranches(
  api: Api,
  project: EitherProject,
  targets: readonly { readonly id: number; readonly path_with_namespace: string }[],
  proposed: Proposed,
): Promise<Html> {
  const branches = await api.list(Branch, path`/projects/${project.id}/repository/branches`, {
    per_page: MOST,
  })
  const field = (name: string, label: string, value: string | undefined) =>
    html`<div class="field">
      <label for="${name}">${label}</label>
      <input id="${name}" name="merge_request[${name}]" value="${value}" list="branches" required />
    </div>`
  return html`<form method="get" action="${pageOf(project, 'merge_requests/new')}">
    <datalist id="branches">
      ${branches.items.map(({ name }) => html`<option value="${name}"></option>`)}
    </datalist>
    ${field('source_branch', 'The branch with the changes', proposed.source_branch)}
    ${
      targets.length > 1 &&
      html`<div class="field">
        <label for="target">The project that gets them</label>
        <select id="target" name="merge_request[target_project_id]">
          ${targets.map((one) => html`<option value="${one.id}">${one.path_with_namespace}</option>`)}
        </select>
      </div>`
    }
    ${field('target_branch', 'The branch that gets them', proposed.target_branch ?? project.default_branch ?? undefined)}
    <p class="actions"><button type="submit">Compare and go on</button></p>
  </form>`
}

/** A merge request before it is made: its words, and what it would change. */
export async function newMergeRequest(
  api: Api,
  forms: Forms,
  project: EitherProject,
  {
    rights,
    template,
    view,
    ...proposed
  }: Proposed & {
    readonly source_branch: string
    readonly target_branch: string
    readonly rights: Rights
    readonly template: string | undefined
    /** How it shows what would change. */
    readonly view: Pick<DiffView, 'view' | 'file' | 'w'>
  },
): Promise<Html> {
  const { source_branch: source, target_branch: target, target_project_id, title, description } = proposed
  const here = pageOf(project, 'merge_requests/new')
  const query = {
    'merge_request[source_branch]': source,
    'merge_request[target_branch]': target,
    'merge_request[target_project_id]':
      target_project_id === undefined ? undefined : String(target_project_id),
  }
  const [templates, planning, changes] = await Promise.all([
    descriptionTemplates(api, project, 'merge_request_templates', template),
    rights.may('admin_merge_request')
      ? planningFields(api, path`/projects/${project.id}`, NO_MERGE_REQUEST)
      : [],
    comparison(
      api,
      project,
      { from: target, to: source, straight: false, fromProject: target_project_id },
      // All that the address says stays: another view of the changes is not another merge request.
      {
        view: view.view,
        file: view.file,
        w: view.w,
        here: addressOf(here, {
          ...query,
          'merge_request[title]': title,
          'merge_request[description]': description,
          issuable_template: template,
        }),
      },
    ),
  ])
  const hidden = (name: string, value: string | number) => ({ name, label: '', is: 'hidden', value }) as const
  return html`<p>
      From <code>${source}</code> into <code>${target}</code>. <a href="${here}">Choose others</a>
    </p>
    ${templateChoice(templates, here, query)}
    ${forms.write({
      does: 'open',
      submit: 'Open the merge request',
      fields: [
        { name: 'title', label: 'Title', value: title ?? titleOf(source), required: true },
        {
          name: 'description',
          label: 'Description',
          is: 'markup',
          hint: 'Markdown. “Closes #1” closes the issue when it is merged.',
          value: description ?? templates.text,
        },
        hidden('source_branch', source),
        hidden('target_branch', target),
        ...(target_project_id === undefined ? [] : [hidden('target_project_id', target_project_id)]),
        ...planning,
        { name: 'squash', label: 'Squash all commits into one', is: 'check', value: false },
        {
          name: 'remove_source_branch',
          label: 'Delete the source branch after the merge',
          is: 'check',
          value: true,
        },
      ],
    })}
    ${changes}`
}

/** `12-fix-the-door` → `Fix the door`. */
function titleOf(branch: string): string {
  const words = branch.replace(/^.*\//, '').replace(/^\d+-/, '').replaceAll(/[-_]+/g, ' ').trim()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
