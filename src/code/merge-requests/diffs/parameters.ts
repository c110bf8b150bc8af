import { Type } from 'typebox'
import { pageParameters } from '#platform/http/order.ts'
import { flag, integer } from '#platform/http/schema.ts'
import { ByMergeRequest } from '../parameters.ts'

const unidiff = flag({ default: false, description: 'Diffs begin with the names of the files.' })

export const Page = Type.Object(pageParameters)

export const PageOfDiffs = Type.Object({ ...pageParameters, unidiff })

export const Unidiff = Type.Object({ unidiff })

export const ChangesOptions = Type.Object({
  unidiff,
  access_raw_diffs: flag({ default: false, description: 'Shows larger diffs, too.' }),
})

export const ByVersion = Type.Object({
  ...ByMergeRequest.properties,
  version_id: integer({ minimum: 1, description: 'The id of a version.' }),
})
