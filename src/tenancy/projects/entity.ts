import { type TSchema, Type } from 'typebox'
import { UserBasic } from '#identity/users/basic.ts'
import { entity, moment } from '#platform/http/schema.ts'
import { type ExtensionFields, onlyOnce, projectExtensions } from './extension-points.ts'
import {
  details,
  onRequest,
  type ProjectDetails,
  type ProjectExtras,
  ProjectSimple,
  type ProjectSimpleFields,
} from './fields.ts'

type Details = ProjectDetails & Partial<ExtensionFields>
export type ProjectFields = ProjectSimpleFields & Details & ProjectExtras

/** Either form. Signed-in callers who did not ask for `simple` get the fields of the details. */
export type EitherProject = ProjectSimpleFields & Partial<Details> & ProjectExtras

/** The details with those that features add. */
const allDetails = projectExtensions.derive((extensions): Record<string, TSchema> => {
  const known = { ...ProjectSimple.properties, ...details, ...onRequest.properties }
  return {
    ...details,
    ...onlyOnce(
      extensions.map(({ fields = {} }) => fields),
      Object.keys(known),
    ),
  }
})

/** A project as signed-in callers see it. */
export const projectEntity = projectExtensions.derive(() =>
  Type.Unsafe<ProjectFields>(
    entity('Project', { ...ProjectSimple.properties, ...allDetails(), ...onRequest.properties }),
  ),
)

/** A project in either form. */
export const eitherProjectEntity = projectExtensions.derive(() =>
  Type.Unsafe<EitherProject>(
    entity('ProjectOrSimple', {
      ...ProjectSimple.properties,
      ...Object.fromEntries(
        Object.entries(allDetails()).map(([name, schema]) => [name, Type.Optional(schema)]),
      ),
      ...onRequest.properties,
    }),
  ),
)

/** Somebody who starred a project. */
export const Starrer = Type.Object({ starred_since: moment(), user: UserBasic })
