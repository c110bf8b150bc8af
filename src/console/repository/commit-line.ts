import type { Static } from 'typebox'
import type { CommitEntity } from '#code/commits/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { since } from '../frame/moments.ts'
import { pageOf } from '../frame/project.ts'

type Commit = Static<typeof CommitEntity>

/** The commit that somebody made last, above the files that it left. */
export const lastCommit = (project: EitherProject, commit: Commit | undefined): Html | undefined =>
  commit && html`<p class="last-commit">${commitLine(project, commit)}</p>`

/** A commit in one line: what, who, when. */
export const commitLine = (project: EitherProject, commit: Commit): Html =>
  html`<a href="${pageOf(project, `commit/${commit.id}`)}">${commit.title}</a>
    <span class="quiet"
      >${commit.author_name} · ${since(commit.committed_date)} · <code>${commit.short_id}</code></span
    >`
