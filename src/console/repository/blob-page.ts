import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { choices } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import { fileLinks } from './file-header.ts'
import { type ReadFile, readFile, shownFile } from './file.ts'
import type { Place } from './references.ts'
import { pathLinks } from './tree-page.ts'

interface Asked {
  /** Which part of a long file, from 1. */
  readonly part: number
  /** As it was written, where it could be rendered. */
  readonly plain: boolean
}

/** A file; undefined where there is none. */
export async function blobPage(
  api: Api,
  project: EitherProject,
  place: Place,
  { part, plain }: Asked,
): Promise<View | undefined> {
  const [rights, file] = await Promise.all([
    rightsIn(api, path`/projects/${project.id}`),
    readFile(api, project, place),
  ])
  if (file === undefined) return undefined
  const here = pageOf(project, `blob/${slashed(place.ref)}/${slashed(place.path)}`)
  const rendered = plain ? undefined : await renderedFile(api, project, file, place)
  return {
    title: `${place.path} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Files'),
    body: html`<h1 class="path">${pathLinks(project, place.ref, place.path)}</h1>
      ${fileLinks(project, place, 'File', file.commit)}
      <p class="quiet">${file.size} bytes</p>
      ${
        rights.may('commit_code') &&
        html`<p class="actions">
          <a
            class="button secondary"
            href="${pageOf(project, `edit/${slashed(place.ref)}/${slashed(place.path)}`)}"
            >Change</a
          >
        </p>`
      }
      ${
        isMarkdown(file) &&
        choices('How it is shown', [
          { title: 'Rendered', address: here, here: !plain },
          { title: 'Plain', address: `${here}?plain=1`, here: plain },
        ])
      }
      <section class="file" aria-label="${file.name}">${rendered ?? shownFile(file, part, here)}</section>`,
  }
}

const isMarkdown = ({ name, text }: ReadFile): boolean =>
  text !== undefined && text !== '' && /\.(?:md|markdown)$/i.test(name)

/** Markdown as HTML; undefined for all else. */
export async function renderedFile(
  api: Api,
  project: EitherProject,
  file: ReadFile,
  { ref, path: at }: Place,
): Promise<Html | undefined> {
  if (file.text === undefined || !isMarkdown(file)) return undefined
  const [text] = await api.render([file.text], {
    path: project.path_with_namespace,
    file: {
      pages: pageOf(project, `blob/${slashed(ref)}/`),
      raw: pageOf(project, `raw/${slashed(ref)}/`),
      folder: at.split('/').slice(0, -1).map(encodeURIComponent).join('/'),
    },
  })
  return html`<div class="text">${text}</div>`
}
