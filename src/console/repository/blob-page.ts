import { html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import type { Api } from '../frame/api.ts'
import type { View } from '../frame/show.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import { readFile, shownFile } from './file.ts'
import type { Place } from './references.ts'
import { pathLinks } from './tree-page.ts'

/** A file; undefined where there is none. */
export async function blobPage(
  api: Api,
  project: EitherProject,
  { ref, path: at }: Place,
): Promise<View | undefined> {
  const file = await readFile(api, project, { ref, path: at })
  if (file === undefined) return undefined
  const history = pageOf(project, `commits/${slashed(ref)}/${slashed(at)}`)
  const raw = pageOf(project, `raw/${slashed(ref)}/${slashed(at)}`)
  return {
    title: `${at} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Files'),
    body: html`<h1 class="path">${pathLinks(project, ref, at)}</h1>
      <p class="quiet">${file.size} bytes · <a href="${raw}">Raw</a> · <a href="${history}">History</a></p>
      <section class="file" aria-label="${file.name}">${shownFile(file)}</section>`,
  }
}
