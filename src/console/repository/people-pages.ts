import { ContributorEntity } from '#code/repositories/contributors/entity.ts'
import { html } from '#platform/http/html.ts'
import { eitherProjectEntity, type EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { listOf } from '../frame/list-page.ts'
import { emptyList, otherPages } from '../frame/lists.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { projectRow } from '../frame/project-list.ts'

/** Who wrote the commits of a branch, tag or commit, those with the most first; undefined where it is not there. */
export async function contributorsPage(
  api: Api,
  project: EitherProject,
  ref: string,
  page: number,
): Promise<View | undefined> {
  const people = await api.findList(
    ContributorEntity,
    path`/projects/${project.id}/repository/contributors`,
    {
      ref,
      order_by: 'commits',
      sort: 'desc',
      page,
      per_page: 50,
    },
  )
  if (people === undefined) return undefined
  return {
    title: `Contributors · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Contributors'),
    body: html`<h1>Contributors to ${ref}</h1>
      ${
        people.items.length === 0
          ? emptyList('There is no commit here.')
          : html`<ul class="rows">
              ${people.items.map(
                ({ name, commits }) =>
                  html`<li>
                    <div><strong>${name}</strong></div>
                    <p class="quiet aside">${commits === 1 ? '1 commit' : `${commits} commits`}</p>
                  </li>`,
              )}
            </ul>`
      }
      ${otherPages(people, page, pageOf(project, `graphs/${slashed(ref)}`), {})}`,
  }
}

/** The forks of a project that the visitor may see. */
export async function forksPage(api: Api, project: EitherProject, page: number): Promise<View> {
  const rights = await rightsIn(api, path`/projects/${project.id}`)
  const list = {
    title: 'Forks',
    api: path`/projects/${project.id}/forks`,
    query: { simple: true },
    item: eitherProjectEntity(),
    row: projectRow,
    make: rights.may('fork_project') && { title: 'Fork the project', address: pageOf(project, 'forks/new') },
    none: 'Nobody has forked this project, as far as you may see.',
  }
  return {
    title: `Forks · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Forks'),
    body: await listOf(api, pageOf(project, 'forks'), list, { page }),
  }
}
