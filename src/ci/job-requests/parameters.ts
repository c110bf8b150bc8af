import { type Static, Type } from 'typebox'
import { flag, hash, integer, secret, text } from '#platform/http/schema.ts'

// What runners send. They differ in what they know, so only what is used is read, and nothing of it is demanded but the token.

const word = Type.Optional(text({ max: 2_048 }))

/** What a runner says of itself. */
const RunnerInfo = Type.Object({
  name: word,
  version: word,
  revision: word,
  platform: word,
  architecture: word,
  executor: word,
  features: Type.Optional(hash(text({ max: 255 }), { description: 'What it can do.' })),
})
export type RunnerInfo = Static<typeof RunnerInfo>

/** A request for a job. */
export const JobRequest = Type.Object({
  token: secret({ max: 255 }),
  system_id: Type.Optional(text({ max: 64 })),
  last_update: Type.Optional(
    text({ max: 255, description: 'As the last answer had it: the request may wait.' }),
  ),
  request_id: Type.Optional(
    text({ max: 64, description: 'Asking again with it gets the job that an answer was lost with.' }),
  ),
  info: Type.Optional(RunnerInfo),
})
export type JobRequest = Static<typeof JobRequest>

export const ByJob = Type.Object({ id: integer({ minimum: 1 }) })

/** What a runner tells of its job. */
export const JobUpdate = Type.Object({
  token: Type.Optional(secret({ max: 255 })),
  state: Type.Optional(text()),
  failure_reason: Type.Optional(text()),
  exit_code: Type.Optional(integer({ minimum: -2_147_483_648, maximum: 4_294_967_295 })),
  checksum: Type.Optional(text()),
  output: Type.Optional(
    Type.Object({ checksum: Type.Optional(text()), bytesize: Type.Optional(integer({ minimum: 0 })) }),
  ),
})
export type JobUpdate = Static<typeof JobUpdate>

export const Download = Type.Object({
  token: Type.Optional(secret({ max: 255 })),
  direct_download: Type.Optional(
    flag({ description: 'Whether the answer may be a redirect to where files are.' }),
  ),
})
/** What comes with the bytes of an artifact, in the query or behind them. */
export const AboutArtifact = Type.Object({
  artifact_type: Type.Optional(text()),
  artifact_format: Type.Optional(text()),
  expire_in: Type.Optional(text()),
})
export type AboutArtifact = Static<typeof AboutArtifact>
