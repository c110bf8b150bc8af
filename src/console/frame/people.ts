import type { Static } from 'typebox'
import type { UserBasic } from '#identity/users/basic.ts'
import { type Html, html } from '#platform/http/html.ts'

export type Person = Pick<Static<typeof UserBasic>, 'name' | 'username'>

/** Somebody's name, which leads to their page. */
export const person = ({ name, username }: Person): Html =>
  html`<a href="/${username}" title="@${username}">${name}</a>`
