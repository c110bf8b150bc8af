import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { PackageFile, PackageWithVersions } from '#registries/packages/entity.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { otherPages, pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'
import { ciStatus, sizeInWords } from '../parts/words.ts'
import { downloadOf, installing } from './install.ts'

type Shown = Static<typeof PackageWithVersions>

/** Other versions that a page names. */
const MOST_VERSIONS = 20

/** A package: how to install it, its files, and what else there is of it. */
export async function packagePage(
  api: Api,
  forms: Forms,
  project: EitherProject,
  { id, page }: { readonly id: number; readonly page: number },
): Promise<View> {
  const address = path`/projects/${project.id}/packages/${id}`
  const [shown, files, rights] = await Promise.all([
    api.get(PackageWithVersions, address),
    api.list(PackageFile, `${address}/package_files`, { order_by: 'id', sort: 'desc', page }),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const { name, version, package_type, status, tags, pipeline, created_at, last_downloaded_at } = shown
  const site = project.web_url.slice(0, -project.path_with_namespace.length - 1)
  const isPrivate = project.visibility !== 'public'
  const steps = installing({ shown, file: files.items[0], site, isPrivate })
  return {
    title: `${name} ${version ?? ''} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Packages'),
    body: html`<h1>${name} <span class="quiet">${version ?? undefined}</span></h1>
      <p>
        <span class="badge">${package_type}</span>
        ${status !== 'default' && html`<span class="badge">${status}</span>`}
        ${tags.map((tag) => html`<span class="badge">${tag}</span> `)}
      </p>
      ${facts([
        ['Published', since(created_at)],
        ['Last downloaded', last_downloaded_at === null ? undefined : since(last_downloaded_at)],
        [
          'By pipeline',
          pipeline &&
            html`<a href="${pathIn(pipeline.web_url)}">#${pipeline.id}</a> ${ciStatus(pipeline.status)}`,
        ],
      ])}
      ${
        steps.length > 0 &&
        html`<section aria-labelledby="install">
          <h2 id="install">Install</h2>
          ${isPrivate && html`<p class="quiet">TOKEN holds an access token that may read this project.</p>`}
          ${steps.map(
            ({ about, lines }) =>
              html`<p>${about}:</p>
                <pre class="lines" tabindex="0"><code>${lines}</code></pre>`,
          )}
        </section>`
      }
      <h2>Files</h2>
      ${fileTable(shown, files.items)} ${otherPages(files, page, pageOf(project, `packages/${id}`), {})}
      ${versions(project, shown)}
      ${
        rights.may('destroy_package') &&
        forms.write({
          does: 'delete',
          submit: 'Delete',
          about: 'the package',
          asks: 'Whatever installs this version finds it no longer.',
        })
      }`,
  }
}

const fileTable = (shown: Shown, files: readonly Static<typeof PackageFile>[]): Html =>
  files.length === 0
    ? html`<p class="empty">It has no files.</p>`
    : html`<ul class="rows">
        ${files.map((file) => {
          const address = downloadOf(shown, file)
          return html`<li>
            <div>
              ${address === undefined ? file.file_name : html`<a href="${address}" download>${file.file_name}</a>`}
              <details>
                <summary>Digests</summary>
                <dl class="digests">
                  ${digests(file).map(
                    ([name, value]) =>
                      html`<dt>${name}</dt>
                        <dd><code>${value}</code></dd>`,
                  )}
                </dl>
              </details>
            </div>
            <p class="quiet aside">${sizeInWords(file.size)} · ${since(file.created_at)}</p>
          </li>`
        })}
      </ul>`

const digests = ({ file_sha256, file_sha1, file_md5 }: Static<typeof PackageFile>) =>
  (
    [
      ['SHA-256', file_sha256],
      ['SHA-1', file_sha1],
      ['MD5', file_md5],
    ] as const
  ).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))

function versions(project: EitherProject, { versions: all }: Shown): Html | undefined {
  if (all.length === 0) return undefined
  const left = all.length - MOST_VERSIONS
  return html`<h2>Other versions</h2>
    <ul class="rows">
      ${all.slice(0, MOST_VERSIONS).map(
        ({ id, version, created_at, tags }) =>
          html`<li>
            <div>
              <a href="${pageOf(project, `packages/${id}`)}">${version ?? 'Without a version'}</a>
              ${tags.map((tag) => html`<span class="badge">${tag}</span> `)}
            </div>
            <p class="quiet aside">${since(created_at)}</p>
          </li>`,
      )}
    </ul>
    ${left > 0 && html`<p class="quiet">${left} more are in the list of packages.</p>`}`
}
