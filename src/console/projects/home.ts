import { type Html, html } from '#platform/http/html.ts'
import { Branch } from '#code/branches/entity.ts'
import { CommitEntity } from '#code/commits/entity.ts'
import { TreeEntryEntity } from '#code/repositories/tree/entity.ts'
import { Badge } from '#tenancy/badges/entity.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { lastCommit } from '../repository/commit-line.ts'
import { renderedFile } from '../repository/blob-page.ts'
import { readFile, shownFile } from '../repository/file.ts'
import { archiveLinks, entryList, MOST_ENTRIES, newFileLink } from '../repository/tree-page.ts'
import { pageOf, pathOf, projectHeader } from '../frame/project.ts'
import { badgeLinks, MOST_BADGES } from '../parts/badges.ts'
import { recentPush } from './recent-push.ts'
import { hasStarred, type Me, starring } from './stars.ts'

/** The first page of a project: its files, its last commit, and what its README says. */
export async function projectHome(
  api: Api,
  project: EitherProject,
  { forms, me, site }: { readonly forms: Forms; readonly me: Me | undefined; readonly site: string },
): Promise<View> {
  const { default_branch: ref } = project
  const [badges, isStarred, push] = await Promise.all([
    api.besides.findList(Badge, path`/projects/${project.id}/badges`, { per_page: MOST_BADGES }),
    me !== undefined && hasStarred(api.besides, project, me),
    me === undefined ? undefined : recentPush(api.besides, project, me.id),
  ])
  return {
    title: project.name_with_namespace,
    place: projectHeader(project, 'Project'),
    feed: `${pathOf(project)}.atom`,
    body: html`<h1 class="unseen">${project.name}</h1>
      ${project.description !== null && project.description !== '' && html`<p>${project.description}</p>`}
      ${project.topics.length > 0 && html`<p>${project.topics.map((topic) => html`<span class="badge">${topic}</span> `)}</p>`}
      ${badgeLinks(badges?.items ?? [], site)} ${push}
      ${me !== undefined && starring(forms, project, isStarred)}
      ${ref === null && me !== undefined && notShown(project)}
      ${ref !== null && html`${cloning(project)} ${(await filesOf(api.besides, project, ref)) ?? (await withoutFiles(api.besides, project))}`}`,
  }
}

/** Without it, nothing at all stands on the page of a guest. */
const notShown = (project: EitherProject): Html =>
  html`<p class="empty">
    You may not see the code of this project. Issues, and what else you may see, are in the menu above.
    <a href="${pageOf(project, 'project_members?with_inherited=true')}">Its members</a> say who can give you
    another role.
  </p>`

/** What people who come from elsewhere try first is their own password. */
const PASSWORD = html`When git asks for a password, it wants an
  <a href="/-/user_settings/personal_access_tokens?name=git&amp;scopes=write_repository">access token</a>:
  your own password does not work.`

const cloning = ({ http_url_to_repo, ssh_url_to_repo }: EitherProject): Html =>
  html`<details class="clone">
    <summary>Clone</summary>
    <p><code>git clone ${http_url_to_repo}</code></p>
    <p class="quiet">${PASSWORD}</p>
    ${ssh_url_to_repo !== null && html`<p><code>git clone ${ssh_url_to_repo}</code></p>`}
  </details>`

/** What to do with a repository in which nothing is. Nothing is said of one whose files the visitor may not read. */
async function withoutFiles(api: Api, project: EitherProject): Promise<Html | undefined> {
  const address = path`/projects/${project.id}`
  const [rights, branches] = await Promise.all([
    rightsIn(api, address),
    api.findList(Branch, `${address}/repository/branches`, { per_page: 1 }),
  ])
  return (
    branches &&
    html`${howToBegin(project)}
    ${rights.may('commit_code') && newFileLink(project, project.default_branch ?? 'main', '')}`
  )
}

const howToBegin = ({ http_url_to_repo, default_branch }: EitherProject): Html =>
  html`<h2>The repository is empty</h2>
    <p>Begin with a new file:</p>
    <pre tabindex="0"><code>git clone ${http_url_to_repo}
cd "$(basename ${http_url_to_repo} .git)"
echo "# Hello" > README.md
git add README.md
git commit --message "Add a README"
git push</code></pre>
    <p>Or push a repository that you have, from its folder:</p>
    <pre tabindex="0"><code>git remote add forgelet ${http_url_to_repo}
git push --set-upstream forgelet HEAD:${default_branch ?? 'main'}</code></pre>
    <p class="quiet">${PASSWORD}</p>`

/** Undefined where nothing was pushed yet. */
async function filesOf(api: Api, project: EitherProject, ref: string): Promise<Html | undefined> {
  const readme = readmeOf(project, ref)
  const [entries, commits, text, rights] = await Promise.all([
    api.findList(TreeEntryEntity, path`/projects/${project.id}/repository/tree`, {
      ref,
      per_page: MOST_ENTRIES,
    }),
    api.findList(CommitEntity, path`/projects/${project.id}/repository/commits`, {
      ref_name: ref,
      per_page: 1,
    }),
    readme === undefined ? undefined : readFile(api, project, { ref, path: readme }),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  if (entries === undefined) return undefined
  return html`${archiveLinks(project, ref)} ${lastCommit(project, commits?.items[0])}
  ${rights.may('commit_code') && newFileLink(project, ref, '')}
  ${entryList(project, { ref, path: '' }, entries)}
  ${
    readme !== undefined &&
    text !== undefined &&
    html`<section class="file" aria-label="${readme}">
      <h2>${readme}</h2>
      ${(await renderedFile(api, project, text, { ref, path: readme })) ?? shownFile(text)}
    </section>`
  }`
}

/** The path of the README; the API says where its page is. */
function readmeOf({ readme_url, web_url }: EitherProject, ref: string): string | undefined {
  const before = `${web_url}/-/blob/${ref}/`
  return readme_url?.startsWith(before) === true
    ? decodeURIComponent(readme_url.slice(before.length))
    : undefined
}
