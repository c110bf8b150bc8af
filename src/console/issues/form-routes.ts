import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { integer, text } from '#platform/http/schema.ts'
import { Issue, IssueSingle } from '#planning/issues/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { descriptionTemplates, templateChoice } from '../items/templates.ts'
import { followActions } from '../items/following.ts'
import { talkActions, TalkQuery } from '../items/talk.ts'
import { issueNoteable } from '#planning/issues/noteable.ts'
import { rightsIn } from '../frame/rights.ts'
import { ticks } from '../items/tasks.ts'
import { timeActions } from '../items/time.ts'
import { pathIn } from '../frame/lists.ts'
import { IssueFilter } from '../items/item-list.ts'
import { severalPage } from '../items/several.ts'
import { linkActions } from './links.ts'
import { moveForm, targetsOf } from './move.ts'
import { issuePage, issuePlaces, mayChange } from './issue-page.ts'
import { issueFields, newIssueFields } from './issue-fields.ts'

/** What links of bots and templates fill in: `?issue[title]=Broken`. */
const Filled = Type.Object({
  issuable_template: Type.Optional(text({ max: 255 })),
  issue: Type.Optional(
    Type.Object({
      title: Type.Optional(text({ max: 255 })),
      description: Type.Optional(text({ max: 10_000 })),
    }),
  ),
})

/** An issue with what people say of it, and the forms that open and change one. */
export const issueFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/issues/new`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Filled,
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const [rights, templates] = await Promise.all([
        rightsIn(api, address),
        descriptionTemplates(api, project, 'issue_templates', query.issuable_template),
      ])
      const words = { description: templates.text, ...query.issue }
      const fields = await newIssueFields(api, address, rights, words)
      return {
        title: `New issue · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Issues'),
        body: html`<h1>New issue</h1>
          ${templateChoice(templates, pageOf(project, 'issues/new'), { 'issue[title]': query.issue?.title })}
          ${forms.write({ does: 'open', submit: 'Open the issue', fields })}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const open = {
        method: 'POST',
        path: path`/projects/${project.id}/issues`,
        says: 'The issue is open.',
      } as const
      return { open: () => makes(IssueSingle, open, ({ iid }) => pageOf(project, `issues/${iid}`)) }
    },
  })

  severalPage(app, {
    one: 'issue',
    at: 'issues',
    area: 'Issues',
    sign: '#',
    filter: IssueFilter,
    ability: 'admin_issue',
    list: (asked, address, query) => asked.list(Issue, address, query),
  })

  for (const place of issuePlaces)
    formPage(app, `${PROJECT}/${place.at}/:iid`, {
      params: Type.Object({ ...OfProject, iid: integer({ minimum: 1 }) }),
      querystring: TalkQuery,
      async show(visit) {
        const project = await projectOf(visit.api, visit.request, visit.params.project)
        return issuePage(visit, project, visit.params.iid, place)
      },
      async actions({ request, api, params, query }) {
        const project = await projectOf(api, request, params.project)
        const address = path`/projects/${project.id}/issues/${params.iid}`
        const changes = (state_event: 'close' | 'reopen', says: string) => () =>
          asks({ method: 'PUT', path: address, also: { state_event }, says })
        return {
          ...talkActions(request.identity?.user.id, issueNoteable, address, {
            here: pageOf(project, `${place.at}/${params.iid}`),
            page: query.page,
          }),
          ...followActions(address),
          ...linkActions(address),
          ...timeActions(address),
          tick: () =>
            ticks(
              IssueSingle,
              { path: address, parameter: 'description', to: pageOf(project, `${place.at}/${params.iid}`) },
              ({ description, updated_at }) => ({ text: description, updated_at }),
            ),
          close: changes('close', 'The issue is closed.'),
          reopen: changes('reopen', 'The issue is open again.'),
        }
      },
    })

  formPage(app, `${PROJECT}/issues/:iid/edit`, {
    who: 'signed in',
    params: Type.Object({ ...OfProject, iid: integer({ minimum: 1 }) }),
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const [issue, rights] = await Promise.all([
        api.get(IssueSingle, `${address}${path`/issues/${params.iid}`}`),
        rightsIn(api, address),
      ])
      if (!mayChange(rights, issue, request.identity?.user.id)) throw notFound()
      const mayMove = rights.may('admin_issue')
      const [fields, targets] = await Promise.all([
        issueFields(api, address, rights, issue),
        mayMove ? targetsOf(api, project) : [],
      ])
      return {
        title: `Change ${issue.title} (#${issue.iid}) · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Issues'),
        body: html`<h1>Change <span class="quiet">#${issue.iid}</span></h1>
          ${forms.write({ does: 'save', submit: 'Save', changes: true, fields, updatedAt: issue.updated_at })}
          ${mayMove && moveForm(forms, targets)}
          ${
            rights.may('delete_issue') &&
            forms.write({
              does: 'delete',
              submit: 'Delete',
              about: 'the issue',
              asks: 'The issue and all that was said of it go for good.',
            })
          }`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}/issues/${params.iid}`
      const here = pageOf(project, `issues/${params.iid}`)
      return {
        save: () => asks({ method: 'PUT', path: address, says: 'The issue is changed.', to: here }),
        move: () =>
          makes(
            IssueSingle,
            { method: 'POST', path: `${address}/move`, says: 'The issue is here now.' },
            ({ web_url }) => pathIn(web_url),
          ),
        delete: () =>
          asks({
            method: 'DELETE',
            path: address,
            says: 'The issue is deleted.',
            to: pageOf(project, 'issues'),
          }),
      }
    },
  })
}
