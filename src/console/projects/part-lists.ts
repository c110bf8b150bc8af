import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, type TSchema, Type } from 'typebox'
import { Branch } from '#code/branches/entity.ts'
import { TagEntity } from '#code/tags/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { type Html, html } from '#platform/http/html.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { ProjectLabel } from '#planning/labels/entity.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { labelList } from '../frame/labels.ts'
import { emptyList, otherPages, pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { show } from '../frame/show.ts'
import { OfProject, pageOf, type Part, projectHeader, projectOf, slashed } from '../frame/project.ts'

/** A list of what a project has, which needs no page of its own kind. */
interface PartList<S extends TSchema> {
  /** How its address ends. */
  readonly word: string
  /** How the address of the API ends, if it ends otherwise. */
  readonly api?: string
  readonly title: Part
  readonly item: S
  readonly row: (project: EitherProject, item: Static<S>) => Html
  /** What an empty list says. */
  readonly none: string
}

const branches: PartList<typeof Branch> = {
  word: 'branches',
  api: 'repository/branches',
  title: 'Branches',
  item: Branch,
  none: 'There is no branch yet. The first push makes one.',
  row: (project, branch) =>
    html`<div>
        <a href="${pageOf(project, `tree/${slashed(branch.name)}`)}"><strong>${branch.name}</strong></a>
        ${branch.default && html`<span class="badge">default</span>`}
        ${branch.protected && html`<span class="badge">protected</span>`}
        ${branch.merged && !branch.default && html`<span class="badge">merged</span>`}
        <p class="quiet">${branch.commit.title}</p>
      </div>
      <p class="quiet aside">${since(branch.commit.committed_date)}</p>`,
}

const tags: PartList<typeof TagEntity> = {
  word: 'tags',
  api: 'repository/tags',
  title: 'Tags',
  item: TagEntity,
  none: 'There is no tag yet.',
  row: (project, tag) =>
    html`<div>
        <a href="${pageOf(project, `tree/${slashed(tag.name)}`)}"><strong>${tag.name}</strong></a>
        ${tag.protected && html`<span class="badge">protected</span>`}
        <p class="quiet">${tag.message ?? tag.commit?.title}</p>
      </div>
      <p class="quiet aside">${tag.commit !== null && since(tag.commit.committed_date)}</p>`,
}

const milestones: PartList<typeof Milestone> = {
  word: 'milestones',
  title: 'Milestones',
  item: Milestone,
  none: 'There is no milestone.',
  row: (project, { title, state, due_date }) =>
    html`<div>
        <a href="${`${pageOf(project, 'issues')}?${new URLSearchParams({ milestone: title }).toString()}`}"
          ><strong>${title}</strong></a
        >
        ${state === 'closed' && html`<span class="badge">closed</span>`}
      </div>
      <p class="quiet aside">
        ${due_date !== null && html`due <time datetime="${due_date}">${due_date}</time>`}
      </p>`,
}

const labels: PartList<typeof ProjectLabel> = {
  word: 'labels',
  title: 'Labels',
  item: ProjectLabel,
  none: 'There is no label.',
  row: (project, label) =>
    html`<div>
      <a href="${`${pageOf(project, 'issues')}?${new URLSearchParams({ labels: label.name }).toString()}`}"
        >${labelList([label])}</a
      >
      ${label.description !== null && html`<p class="quiet">${label.description}</p>`}
    </div>`,
}

/** Lists of what projects have. */
export const partLists: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const params = Type.Object(OfProject)
  const querystring = Type.Object({ page: pageNumber })

  function add<S extends TSchema>({ word, api: address = word, title, item, row, none }: PartList<S>) {
    app.get(
      `${PROJECT}/${word}`,
      { config: page('anyone'), schema: { params, querystring } },
      async (req, reply) => {
        const api = new Api(req)
        const project = await projectOf(api, req, req.params.project)
        const { page: number } = req.query
        const all = await api.list(item, `${path`/projects/${project.id}`}/${address}`, {
          page: number,
        })
        const body = html`<h1>${title}</h1>
          ${
            all.items.length === 0
              ? emptyList(none)
              : html`<ul class="rows">
                  ${all.items.map((one) => html`<li>${row(project, one)}</li>`)}
                </ul>`
          }
          ${otherPages(all, number, pageOf(project, word), {})}`
        const view = { title: `${title} · ${project.name_with_namespace}`, body }
        return show(req, reply, { ...view, place: projectHeader(project, title) })
      },
    )
  }

  add(branches)
  add(tags)
  add(milestones)
  add(labels)
}
