import { JobArtifactEntry } from '#ci/artifacts/zip-tree.ts'
import { Job } from '#code/jobs/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { API } from '#platform/http/routing.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { emptyList, otherPages } from '../frame/lists.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { sizeInWords } from '../parts/words.ts'

interface Asked {
  readonly id: number
  readonly folder: string
  readonly page: number
}

/** A folder of what a job left behind; undefined where there is none. */
export async function artifactsPage(
  api: Api,
  project: EitherProject,
  { id, folder, page }: Asked,
): Promise<View | undefined> {
  const address = path`/projects/${project.id}/jobs/${id}`
  const [job, entries] = await Promise.all([
    api.get(Job, address),
    api.findList(JobArtifactEntry, `${address}/artifacts/tree`, { path: folder, page, per_page: 100 }),
  ])
  if (entries === undefined) return undefined
  const here = browse(project, id)
  const row = ({ type, path: at, name, size }: (typeof entries.items)[number]) =>
    type === 'directory'
      ? html`<a href="${here}/${slashed(at.slice(0, -1))}">${name}</a>`
      : html`<a href="${artifactFile(project, id, at)}" download>${name}</a>
          <span class="quiet">${sizeInWords(size ?? 0)}</span>`
  return {
    title: `Artifacts · ${job.name} (#${id}) · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Jobs'),
    body: html`<h1 class="path">${around(here, folder)}</h1>
      <p class="quiet">
        Artifacts of <a href="${pageOf(project, `jobs/${id}`)}">${job.name} <span>#${id}</span></a> ·
        <a href="${API}${address}/artifacts" download>Download all</a>
      </p>
      ${
        entries.items.length === 0
          ? emptyList('The archive is empty.')
          : html`<ul class="files">
              ${entries.items.map((entry) => html`<li class="${entry.type === 'directory' ? 'tree' : 'blob'}">${row(entry)}</li>`)}
            </ul>`
      }
      ${otherPages(entries, page, folder === '' ? here : `${here}/${slashed(folder)}`, {})}`,
  }
}

/** Where the files that a job left behind are listed. */
export const browse = (project: EitherProject, id: number): string =>
  pageOf(project, `jobs/${id}/artifacts/browse`)

/** The address in the API of one file. */
export const artifactFile = (project: Pick<EitherProject, 'id'>, id: number, at: string): string =>
  `${API}${path`/projects/${project.id}/jobs/${id}/artifacts`}/${slashed(at)}`

/** Links to the folders around one. */
function around(here: string, folder: string): readonly Html[] {
  const names = folder === '' ? [] : folder.split('/')
  return [
    names.length === 0 ? html`Artifacts` : html`<a href="${here}">Artifacts</a>`,
    ...names.map((name, index) =>
      index === names.length - 1
        ? html` / ${name}`
        : html` / <a href="${here}/${slashed(names.slice(0, index + 1).join('/'))}">${name}</a>`,
    ),
  ]
}
