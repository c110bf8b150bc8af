import { type Static, Type } from 'typebox'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { isoOrNull } from '#platform/http/time.ts'

/** A further address of a user as the API presents it. */
export const Email = entity('Email', {
  id: integer(),
  email: Type.String(),
  confirmed_at: nullable(moment({ description: 'When the user followed the link in the mail.' })),
})

export interface EmailRow {
  readonly id: number
  readonly email: string
  readonly confirmed_at: string | null
}

export const emailColumns = ['id', 'email', 'confirmed_at'] as const

export const presentEmail = ({ id, email, confirmed_at }: EmailRow): Static<typeof Email> => ({
  id,
  email,
  confirmed_at: isoOrNull(confirmed_at),
})
