import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { RegistryRepository, RegistryTag, RegistryTagDetails } from '#registries/container-registry/entity.ts'
import { Registry } from '#registries/virtual-registries/entity.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { type GroupDetail, groupHeader, groupPageOf } from '../frame/group.ts'
import { addressOf } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'
import { rows } from '../parts/rows.ts'
import { sizeInWords } from '../parts/words.ts'

type Repository = Static<typeof RegistryRepository>

/** The repositories of images of a project. */
export async function imageList(api: Api, project: EitherProject, page: number): Promise<View> {
  const list = await api.list(RegistryRepository, path`/projects/${project.id}/registry/repositories`, {
    page,
    tags_count: true,
  })
  const host = new URL(project.web_url).host
  return {
    title: `Images · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Images'),
    body: html`<h1>Images</h1>
      ${rows({
        list,
        page,
        address: pageOf(project, 'container_registry'),
        none: `No image was pushed yet: docker push ${host}/${project.path_with_namespace}`,
        row: (one) => repositoryRow(one, pageOf(project, `container_registry/${one.id}`)),
      })}`,
  }
}

/** The repositories of images of all projects in a group. */
export async function groupImages(api: Api, group: GroupDetail, page: number): Promise<View> {
  const address = path`/groups/${group.id}`
  const [list, virtual] = await Promise.all([
    api.list(RegistryRepository, `${address}/registry/repositories`, { page }),
    api.besides.findList(Registry, `${address}/-/virtual_registries/container/registries`),
  ])
  return {
    title: `Images · ${group.full_name}`,
    place: groupHeader(group, 'Images'),
    body: html`<h1>Images</h1>
      ${
        virtual !== undefined &&
        html`<p>
          <a href="${groupPageOf(group, 'virtual_registries')}">Virtual registries</a> pull images of other
          registries.
        </p>`
      }
      ${rows({
        list,
        page,
        address: groupPageOf(group, 'container_registries'),
        none: 'No image was pushed to a project of this group yet.',
        row: (one) =>
          repositoryRow(
            one,
            `/${one.path.slice(0, one.path.length - one.name.length).replace(/\/$/, '')}/-/container_registry/${one.id}`,
          ),
      })}`,
  }
}

const repositoryRow = (one: Repository, address: string): Html =>
  html`<div>
      <a href="${address}"><strong>${one.path}</strong></a>
      ${one.status !== null && html`<span class="badge">is being deleted</span>`}
      <p class="quiet"><code>${one.location}</code></p>
    </div>
    <p class="quiet aside">
      ${one.tags_count !== undefined && html`${one.tags_count} ${one.tags_count === 1 ? 'tag' : 'tags'} · `}
      ${since(one.created_at)}
    </p>`

interface Asked {
  readonly id: number
  /** The one whose digest and size are shown; by default the first. */
  readonly tag?: string
  readonly page: number
}

/** The tags of a repository of images, and one of them. The API says what a tag is of one at a time. */
export async function imagePage(
  api: Api,
  forms: Forms,
  project: EitherProject,
  { id, tag, page }: Asked,
): Promise<View> {
  const address = path`/projects/${project.id}/registry/repositories/${id}/tags`
  const [list, repository, rights] = await Promise.all([
    api.list(RegistryTag, address, { page }),
    api.get(RegistryRepository, path`/registry/repositories/${id}`, { size: true, tags_count: true }),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const chosen = tag ?? list.items[0]?.name
  const details =
    chosen === undefined ? undefined : await api.find(RegistryTagDetails, `${address}${path`/${chosen}`}`)
  const here = pageOf(project, `container_registry/${id}`)
  const { size, tags_count } = repository
  return {
    title: `${repository.path} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Images'),
    body: html`<h1 class="path">${repository.path}</h1>
      ${facts([
        ['Tags', tags_count === undefined ? undefined : html`${tags_count}`],
        ['Takes', size === undefined || size === null ? undefined : html`${sizeInWords(size)}`],
        ['Made', since(repository.created_at)],
      ])}
      ${details && tagSection(details)}
      ${
        details !== undefined &&
        rights.may('destroy_container_image') &&
        forms.write({
          does: `delete-tag/${details.name}`,
          submit: 'Delete the tag',
          about: details.name,
          asks: 'What other tags share stays.',
        })
      }
      <h2>Tags</h2>
      ${rows({
        list,
        page,
        address: here,
        query: { tag },
        none: 'The repository has no tag.',
        row: ({ name, location }) =>
          html`<div>
            <a
              href="${addressOf(here, { tag: name, page: page === 1 ? undefined : page })}"
              ${name === details?.name && html`aria-current="true"`}
              ><strong>${name}</strong></a
            >
            <p class="quiet"><code>${location}</code></p>
          </div>`,
      })}
      ${
        rights.may('admin_container_image') &&
        forms.write({
          does: 'delete',
          submit: 'Delete the repository',
          about: repository.path,
          asks: 'All its tags and images go for good.',
        })
      }`,
  }
}

const tagSection = ({
  name,
  location,
  digest,
  total_size,
  created_at,
}: Static<typeof RegistryTagDetails>): Html =>
  html`<section class="file" aria-label="${name}">
    <h2>${name}</h2>
    <div class="text">
      <pre class="lines" tabindex="0"><code>docker pull ${location}</code></pre>
      ${facts([
        ['Digest', html`<code>${digest}</code>`],
        ['Size', total_size === null ? undefined : html`${sizeInWords(total_size)}`],
        ['Pushed', created_at === null ? undefined : since(created_at)],
      ])}
    </div>
  </section>`
