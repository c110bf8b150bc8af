import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { type Html, html } from '#platform/http/html.ts'
import { badRequest, invalid } from '#platform/refusals.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import type { Action } from '../frame/action.ts'
import { PROJECT } from '../frame/addresses.ts'
import { type Api, type List, path, type Query } from '../frame/api.ts'
import type { Field, Option } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { addressOf, emptyList, otherPages } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { explain } from '../frame/problems.ts'
import { rightsTo } from '../frame/rights.ts'
import { type IssueFilter, type MergeRequestFilter, narrowed } from './item-list.ts'
import { planningFields } from './planning-fields.ts'

/** Those that are offered at once, and so may be changed at once. */
const AT_ONCE = 50

const AS_IT_IS: Option = { value: '', label: 'As it is' }

/** What can be changed several at once. */
export interface SeveralOf {
  /** What one of them is called. */
  readonly one: 'issue' | 'merge request'
  /** The end of the address of their list, in the API and of the pages. */
  readonly at: 'issues' | 'merge_requests'
  /** The area of the project that they are in. */
  readonly area: 'Issues' | 'Merge requests'
  /** What stands before their numbers. */
  readonly sign: '#' | '!'
  /** What narrows their list. */
  readonly filter: typeof IssueFilter | typeof MergeRequestFilter
  readonly ability: 'admin_issue' | 'admin_merge_request'
  /** @param address of the list, in the API */
  readonly list: (api: Api, address: string, query: Query) => Promise<List<Entry>>
}

interface Entry {
  readonly iid: number
  readonly title: string
}

/** The page on which people change several items of a list of a project. */
export const severalPage = (app: FastifyInstance, of: SeveralOf): void =>
  formPage(app, `${PROJECT}/${of.at}/bulk_update`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: of.filter,
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      await rightsTo(of.ability, api, path`/projects/${project.id}`)
      return {
        title: `Change several ${of.one}s · ${project.name_with_namespace}`,
        place: projectHeader(project, of.area),
        body: await severalItems(api, forms, { of, project, query }),
      }
    },
    async actions({ request, api, params, query }) {
      const project = await projectOf(api, request, params.project)
      const { filter } = filterIn(query)
      const list = addressOf(pageOf(project, of.at), filter)
      return { change: () => changesSeveral(path`/projects/${project.id}`, of, list) }
    },
  })

/** What an address says narrows the list, and which page of it is wanted. */
function filterIn(query: Query): { readonly page: number; readonly filter: Query } {
  const { page, ...filter } = query
  return { page: typeof page === 'number' ? page : 1, filter: narrowed(filter) }
}

interface Asked {
  readonly of: SeveralOf
  readonly project: EitherProject
  readonly query: Query
}

/** A form that changes several items of a list. */
async function severalItems(api: Api, forms: Forms, { of, project, query }: Asked): Promise<Html> {
  const address = path`/projects/${project.id}`
  const here = pageOf(project, `${of.at}/bulk_update`)
  const { page, filter } = filterIn(query)
  const [found, planned] = await Promise.all([
    of.list(api, `${address}/${of.at}`, { state: 'opened', ...filter, page, per_page: AT_ONCE }),
    planningFields(api, address),
  ])
  const chosen: Field = {
    name: 'iids',
    label: of.area,
    is: 'choices',
    options: found.items.map(({ iid, title }) => ({
      value: String(iid),
      label: `${of.sign}${iid} ${title}`,
    })),
  }
  return html`<h1>Change several ${of.one}s</h1>
    <p><a href="${addressOf(pageOf(project, of.at), filter)}">Back to the list</a></p>
    ${
      found.items.length === 0
        ? emptyList('Nothing fits these filters.')
        : forms.write({ does: 'change', submit: 'Change them', fields: [chosen, ...changes(planned)] })
    }
    ${otherPages(found, page, here, filter)}`
}

/** What becomes of them: the fields of one issue, each of which may stay as it is. */
function changes(planned: readonly Field[]): readonly Field[] {
  const optionsOf = (field: string) => planned.find(({ name }) => name === field)?.options ?? []
  const labels = optionsOf('labels')
  const nobody = { value: '0', label: 'Nobody' }
  const none = { value: '0', label: 'None' }
  const milestones = optionsOf('milestone_id').filter(({ value }) => value !== '')
  return [
    {
      name: 'state_event',
      label: 'State',
      is: 'choice',
      options: [AS_IT_IS, { value: 'close', label: 'Closed' }, { value: 'reopen', label: 'Open' }],
    },
    {
      name: 'assignee_id',
      label: 'Assigned to',
      is: 'choice',
      options: [AS_IT_IS, nobody, ...optionsOf('assignee_ids')],
    },
    { name: 'milestone_id', label: 'Milestone', is: 'choice', options: [AS_IT_IS, none, ...milestones] },
    ...(labels.length === 0
      ? []
      : ([
          { name: 'add_labels', label: 'Add labels', is: 'choices', options: labels },
          { name: 'remove_labels', label: 'Remove labels', is: 'choices', options: labels },
        ] as const)),
  ]
}

const names = Type.Array(Type.String(), { maxItems: 1_000 })
const Several = Type.Object({
  iids: Type.Array(Type.String({ pattern: '^\\d{0,9}$' }), { maxItems: AT_ONCE + 1 }),
  state_event: Type.Optional(Type.String()),
  assignee_id: Type.Optional(Type.String()),
  milestone_id: Type.Optional(Type.String()),
  add_labels: Type.Optional(names),
  remove_labels: Type.Optional(names),
})

/**
 * Changes each of those that were chosen. What one of them refuses does not keep the others from being changed, and is told.
 * @param address of the project, in the API
 * @param to where the list is
 */
const changesSeveral =
  (address: string, { one, at, sign }: Pick<SeveralOf, 'one' | 'at' | 'sign'>, to: string): Action =>
  async (api, parameters) => {
    if (!Check(Several, parameters)) throw badRequest(`the form has no more than ${AT_ONCE} ${one}s`)
    const { iids: chosen, assignee_id = '', ...changed } = parameters
    const iids = [...new Set(chosen.filter((iid) => iid !== '').map(Number))]
    if (iids.length === 0) throw invalid({ iids: ['are not chosen: choose at least one'] })
    const patch = Object.fromEntries(Object.entries(changed).flatMap(([name, value]) => wishOf(name, value)))
    const wishes = assignee_id === '' ? patch : { ...patch, assignee_ids: [assignee_id] }
    if (Object.keys(wishes).length === 0)
      throw badRequest('nothing is to be changed: choose what becomes of them')
    const refused: string[] = []
    for (const iid of iids)
      try {
        await api.send('PUT', `${address}/${at}${path`/${iid}`}`, wishes)
      } catch (error) {
        const reason = explain(error)
        if (reason === undefined) throw error
        refused.push(`${sign}${iid}: ${reason}`)
      }
    const done = iids.length - refused.length
    const says = `${done === 1 ? `1 ${one} is` : `${done} ${one}s are`} changed.`
    if (refused.length > 0) throw badRequest(`${says} Not changed: ${refused.join(' ')}`)
    return { says, to }
  }

/** A field that says nothing leaves what it is about as it is. */
const wishOf = (name: string, value: string | readonly string[]): readonly (readonly [string, unknown])[] => {
  if (typeof value === 'string') return value === '' ? [] : [[name, value]]
  const some = value.filter((one) => one !== '')
  return some.length === 0 ? [] : [[name, some]]
}
