import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { Package } from '#registries/packages/entity.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { type GroupDetail, groupHeader, groupPageOf } from '../frame/group.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { filterForm, given } from '../parts/filters.ts'
import { rows } from '../parts/rows.ts'

/** The formats in which something can be published here. */
const types = ['generic', 'golang', 'maven', 'npm', 'pypi'] as const

interface Asked {
  readonly type?: string
  readonly name?: string
  readonly page: number
}

/** The packages of a project, the newest first. */
export async function packageList(api: Api, project: EitherProject, asked: Asked): Promise<View> {
  return {
    title: `Packages · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Packages'),
    body: await listed(
      api,
      path`/projects/${project.id}/packages`,
      pageOf(project, 'packages'),
      asked,
      false,
    ),
  }
}

/** The packages of all projects in a group. */
export async function groupPackages(api: Api, group: GroupDetail, asked: Asked): Promise<View> {
  const address = path`/groups/${group.id}`
  const [rights, body] = await Promise.all([
    rightsIn(api, address),
    listed(api, `${address}/packages`, groupPageOf(group, 'packages'), asked, true),
  ])
  return {
    title: `Packages · ${group.full_name}`,
    place: groupHeader(group, 'Packages'),
    body: html`${body}
    ${
      rights.may('admin_package_settings') &&
      html`<p class="actions">
        <a class="button secondary" href="${groupPageOf(group, 'settings/packages_and_registries')}"
          >Package rules</a
        >
      </p>`
    }`,
  }
}

async function listed(
  api: Api,
  address: string,
  here: string,
  { type, name, page }: Asked,
  ofGroup: boolean,
): Promise<Html> {
  const query = { type: given(type), name: given(name) }
  const list = await api.list(Package, address, {
    package_type: query.type,
    package_name: query.name,
    order_by: 'created_at',
    sort: 'desc',
    page,
  })
  const isFiltered = query.type !== undefined || query.name !== undefined
  return html`<h1>Packages</h1>
    ${filterForm(here, [
      { name: 'type', label: 'Format', value: query.type, options: types },
      { name: 'name', label: 'Name', value: query.name },
    ])}
    ${rows({
      list,
      page,
      address: here,
      query,
      none: isFiltered ? 'No package fits these filters.' : 'No package was published yet.',
      row: (one) => packageRow(one, ofGroup),
    })}`
}

const packageRow = (
  {
    _links: { web_path },
    name,
    version,
    package_type,
    status,
    tags,
    project_path,
    created_at,
  }: Static<typeof Package>,
  ofGroup: boolean,
): Html =>
  html`<div>
      <a href="${web_path}"><strong>${name}</strong></a> ${version ?? undefined}
      <span class="badge">${package_type}</span>
      ${status !== 'default' && html`<span class="badge">${status}</span>`}
      ${tags.map((tag) => html`<span class="badge">${tag}</span> `)}
      ${ofGroup && html`<p class="quiet">${project_path}</p>`}
    </div>
    <p class="quiet aside">${since(created_at)}</p>`
