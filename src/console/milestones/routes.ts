import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, type TSchema, Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { type Html, html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { GroupLabel, ProjectLabel } from '#planning/labels/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import { Api } from '../frame/api.ts'
import { ByContainer, type Container, projectsAndGroups } from '../frame/container.ts'
import { labelList } from '../frame/labels.ts'
import { listOf } from '../frame/list-page.ts'
import { addressOf, pageNumber, pathIn } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { show } from '../frame/show.ts'

const Filter = Type.Object({ search: Type.Optional(text()), page: pageNumber })

/** What work is sorted by: milestones and labels. */
export const milestonePageRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')
  const options = { config, schema: { params: ByContainer, querystring: Filter } }

  for (const { at, open } of projectsAndGroups) {
    app.get(`${at}/milestones`, options, async (req, reply) => {
      const api = new Api(req)
      const container = await open(api, req, req.params.container)
      const rights = await rightsIn(api, container.api)
      const here = container.page('milestones')
      const list = {
        title: 'Milestones',
        make: rights.may('admin_milestone') && { title: 'New milestone', address: `${here}/new` },
        api: `${container.api}/milestones`,
        item: Milestone,
        row: milestoneRow,
        none: 'There is no milestone. It gathers issues and merge requests that are due together.',
        search: 'Words in titles',
      }
      return show(req, reply, {
        title: `Milestones · ${container.title}`,
        place: container.header('Milestones'),
        body: await listOf(api, here, list, req.query),
      })
    })

    app.get(`${at}/labels`, options, async (req, reply) => {
      const api = new Api(req)
      const container = await open(api, req, req.params.container)
      const mayChange = (await rightsIn(api, container.api)).may('admin_label')
      // The two differ in what is added for projects.
      const body =
        container.kind === 'project'
          ? await listOf(
              api,
              container.page('labels'),
              labelsOf(container, mayChange, ProjectLabel),
              req.query,
            )
          : await listOf(api, container.page('labels'), labelsOf(container, mayChange, GroupLabel), req.query)
      return show(req, reply, {
        title: `Labels · ${container.title}`,
        place: container.header('Labels'),
        body,
      })
    })
  }
}

const milestoneRow = ({ web_url, title, state, due_date, expired }: Static<typeof Milestone>): Html =>
  html`<div>
      <a href="${pathIn(web_url)}"><strong>${title}</strong></a>
      ${state === 'closed' && html`<span class="badge">closed</span>`}
      ${expired && state !== 'closed' && html`<span class="badge">past due</span>`}
    </div>
    <p class="quiet aside">
      ${due_date !== null && html`due <time datetime="${due_date}">${due_date}</time>`}
    </p>`

const labelsOf = <S extends TSchema>(container: Container, mayChange: boolean, item: S) => ({
  title: 'Labels',
  make: mayChange && ({ title: 'New label', address: container.page('labels/new') } as const),
  api: `${container.api}/labels`,
  item,
  row: (label: Static<typeof GroupLabel>) =>
    html`<div>
        <a href="${addressOf(container.page('issues'), { labels: label.name })}">${labelList([label])}</a>
        ${label.description !== null && html`<p class="quiet">${label.description}</p>`}
      </div>
      ${mayChange && html`<a class="aside" href="${container.page(`labels/${label.id}/edit`)}">Change<span class="unseen"> ${label.name}</span></a>`}`,
  none: 'There is no label. It says what issues and merge requests are about.',
  search: 'Words in names',
})
