import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { since } from './moments.ts'
import { pathOf } from './project.ts'

/** Projects with what tells them apart. */
export const projectList = (projects: readonly EitherProject[]): Html =>
  html`<ul class="rows">
    ${projects.map((project) => html`<li>${projectRow(project)}</li>`)}
  </ul>`

export const projectRow = (project: EitherProject): Html =>
  html`<div>
      <a href="${pathOf(project)}"
        ><span class="quiet">${project.namespace.full_path} /</span> <strong>${project.name}</strong></a
      >
      <span class="badge">${project.visibility}</span>
      ${project.description !== null && html`<p class="quiet one-line">${project.description}</p>`}
    </div>
    <p class="quiet aside">★ ${project.star_count} · ${since(project.last_activity_at)}</p>`
