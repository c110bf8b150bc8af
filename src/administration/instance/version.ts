import { Type } from 'typebox'

/**
 * The version of the API for clients, which compare it to know what they may use. `-ee` says that the licensed areas of
 * the Premium and Ultimate plans exist; the license decides whether they may be used.
 */
export const API_VERSION = '18.6.0-ee'

/** The version as on the wire: of the API, and of the program. */
export const Version = Type.Object({ version: Type.String(), revision: Type.String() })
