import { TreeEntryEntity } from '#code/repositories/tree/entity.ts'
import type { Html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { addressOf, choices } from '../frame/lists.ts'

/** Templates that a form offers. */
const MOST = 50

/** The description templates of a project: the files of a folder on its default branch. */
export interface Templates {
  readonly names: readonly string[]
  /** Which one is used, and what it says. */
  readonly chosen: string | undefined
  readonly text: string | undefined
}

/**
 * @param kind how the folder is called below `.gitlab`
 * @param asked the name of one; `Default` is used if none is asked for
 */
export async function descriptionTemplates(
  api: Api,
  { id, default_branch: branch }: EitherProject,
  kind: 'issue_templates' | 'merge_request_templates',
  asked: string | undefined,
): Promise<Templates> {
  const folder = `.gitlab/${kind}`
  const address = path`/projects/${id}/repository`
  const query = { path: folder, ref: branch ?? undefined, per_page: MOST }
  const files = branch === null ? undefined : await api.findList(TreeEntryEntity, `${address}/tree`, query)
  const names = (files?.items ?? []).flatMap(({ name }) => (name.endsWith('.md') ? [name.slice(0, -3)] : []))
  const chosen = names.find((name) => name === (asked ?? 'Default'))
  if (chosen === undefined) return { names, chosen, text: undefined }
  const file = `${address}${path`/files/${`${folder}/${chosen}.md`}/raw`}?${new URLSearchParams({ ref: branch ?? '' }).toString()}`
  return { names, chosen, text: await api.findText(file) }
}

/** Links that fill in a template. @param here the address of the form, and its query */
export const templateChoice = (
  { names, chosen }: Templates,
  here: string,
  query: Readonly<Record<string, string | undefined>>,
): Html | undefined =>
  names.length === 0
    ? undefined
    : choices(
        'Templates of the description',
        names.map((name) => ({
          title: name,
          address: addressOf(here, { ...query, issuable_template: name }),
          here: name === chosen,
        })),
      )
