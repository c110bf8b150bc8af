import type { Static } from 'typebox'
import type { RepositoryRule, TagRule } from '#registries/container-registry/rule-entity.ts'
import type { PackageProtectionRule } from '#registries/packages/rule-entity.ts'
import { packageTypes } from '#registries/packages/types.ts'
import { type Html, html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import type { ListPart } from '../frame/list-parts.ts'
import type { Field } from '../frame/fields.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { titled } from '../parts/words.ts'
import { section } from '../settings/sections.ts'

/** What a rule is about, by the words of its forms and of its path. */
const kinds = {
  repository: { path: 'registry/protection/repository/rules', name: 'repository_path_pattern' },
  tag: { path: 'registry/protection/tag/rules', name: 'tag_name_pattern' },
  package: { path: 'packages/protection/rules', name: 'package_name_pattern' },
} as const
type Kind = keyof typeof kinds

interface Row {
  readonly id: number
  readonly pattern: string
  /** What else tells rules apart. */
  readonly mark?: string
  readonly minimum_access_level_for_push: string | null
  readonly minimum_access_level_for_delete: string | null
}

const levels = (without: string) => [
  { value: '', label: without },
  { value: 'maintainer', label: 'Maintainers' },
  { value: 'owner', label: 'Owners' },
  { value: 'admin', label: 'Administrators' },
]

const levelFields = (kind: Kind, row?: Row): readonly Field[] => {
  const without = kind === 'tag' ? 'Nobody (choose it for both)' : 'Whoever may otherwise'
  const all = levels(without)
  return [
    {
      name: 'minimum_access_level_for_push',
      label: kind === 'package' ? 'Publish' : 'Push',
      is: 'choice',
      value: row?.minimum_access_level_for_push ?? '',
      options: all,
    },
    {
      name: 'minimum_access_level_for_delete',
      label: 'Delete',
      is: 'choice',
      value: row?.minimum_access_level_for_delete ?? '',
      options: kind === 'package' ? all.filter(({ value }) => value !== 'maintainer') : all,
    },
  ]
}

const said = ({ minimum_access_level_for_push: push, minimum_access_level_for_delete: del }: Row): string =>
  [push === null ? [] : [`pushed by ${push}s`], del === null ? [] : [`deleted by ${del}s`]]
    .flat()
    .join(', ') || 'no role is named'

interface About {
  readonly title: string
  readonly about: string
  readonly none: string
  readonly pattern: Field
}

function rulesOf(
  forms: Forms,
  kind: Kind,
  rows: readonly Row[],
  others: Html | undefined,
  about: About,
): Html {
  const { title, pattern } = about
  return section({
    title,
    about: about.about,
    rows: rows.map(
      (row) =>
        html`<div>
            <code>${row.pattern}</code>
            ${row.mark !== undefined && html`<span class="badge">${row.mark}</span>`}
            <p class="quiet">${titled(said(row))}</p>
          </div>
          ${forms.write({
            does: `change-${kind}/${row.id}`,
            submit: 'Save',
            opens: 'Change…',
            about: row.pattern,
            changes: true,
            fields: levelFields(kind, row),
          })}
          ${forms.write({
            does: `remove-${kind}/${row.id}`,
            submit: 'Remove',
            about: row.pattern,
            asks: 'What it protects can be overwritten and deleted again.',
          })} `,
    ),
    none: about.none,
    others,
    add: forms.write({
      does: `protect-${kind}`,
      submit: 'Protect',
      about: title.toLowerCase(),
      opens: 'Add a rule…',
      fields: [pattern, ...(kind === 'package' ? [packageType] : []), ...levelFields(kind)],
    }),
  })
}

const packageType: Field = {
  name: 'package_type',
  label: 'Type',
  is: 'choice',
  options: packageTypes.map((value) => ({ value, label: value })),
}

const patternField = (kind: Kind, hint: string): Field => ({
  name: kinds[kind].name,
  label: 'Pattern',
  required: true,
  hint,
})

interface Lists {
  readonly repositories: ListPart<Static<typeof RepositoryRule>> | undefined
  readonly tags: ListPart<Static<typeof TagRule>> | undefined
  readonly packages: ListPart<Static<typeof PackageProtectionRule>> | undefined
}

/** Who may push and delete what, as far as the project has images and packages. @param path of the project */
export const protectionRules = (forms: Forms, { repositories, tags, packages }: Lists, path: string): Html =>
  html`${
    repositories &&
    rulesOf(
      forms,
      'repository',
      repositories.items.map((one) => ({ ...one, pattern: one.repository_path_pattern })),
      repositories.others,
      {
        title: 'Protected images',
        about: 'Only some may push them, or delete them.',
        none: 'No image is protected.',
        pattern: patternField('repository', `Such as ${path.toLowerCase()}/prod*. A * stands for anything.`),
      },
    )
  }
  ${
    tags &&
    rulesOf(
      forms,
      'tag',
      tags.items.map((one) => ({ ...one, pattern: one.tag_name_pattern })),
      tags.others,
      {
        title: 'Protected tags of images',
        about: 'Only some may push them again, or delete them. Without roles, nobody may.',
        none: 'No tag is protected.',
        pattern: patternField('tag', 'An expression (RE2) that finds tags, such as ^v.'),
      },
    )
  }
  ${
    packages &&
    rulesOf(
      forms,
      'package',
      packages.items.map((one) => ({ ...one, pattern: one.package_name_pattern, mark: one.package_type })),
      packages.others,
      {
        title: 'Protected packages',
        about: 'Only some may publish them, or delete them.',
        none: 'No package is protected.',
        pattern: patternField('package', 'A name, in which a * stands for anything.'),
      },
    )
  }`

/** @param address of the project, in the API */
export const protectionRuleActions = (address: string): Actions => ({
  ...actionsOf('repository', address),
  ...actionsOf('tag', address),
  ...actionsOf('package', address),
})

function actionsOf(kind: Kind, address: string): Actions {
  const all = `${address}/${kinds[kind].path}`
  const one = (id: string) => `${all}/${encodeURIComponent(id)}`
  return {
    [`protect-${kind}`]: () => asks({ method: 'POST', path: all, says: 'The rule is added.' }),
    [`change-${kind}`]: (id) => asks({ method: 'PATCH', path: one(id), says: 'The rule is changed.' }),
    [`remove-${kind}`]: (id) => asks({ method: 'DELETE', path: one(id), says: 'The rule is removed.' }),
  }
}
