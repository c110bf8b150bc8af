import { type Html, html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'

/** Whether somebody hears of what happens to an issue, a merge request or an epic, and the forms that change it. */
export const following = (forms: Forms, isSubscribed: boolean): Html =>
  html`${
    isSubscribed
      ? forms.write({ does: 'unsubscribe', submit: 'Mute', about: 'mails about this', looks: 'secondary' })
      : forms.write({ does: 'subscribe', submit: 'Follow', about: 'by mail', looks: 'secondary' })
  }
  ${forms.write({ does: 'remember', submit: 'Add to my to-dos', looks: 'secondary' })}`

/** What these forms do. @param address of what is followed, in the API */
export const followActions = (address: string): Actions => ({
  subscribe: () =>
    asks({ method: 'POST', path: `${address}/subscribe`, says: 'You hear of what happens here.' }),
  unsubscribe: () =>
    asks({ method: 'POST', path: `${address}/unsubscribe`, says: 'You hear only of what names you.' }),
  remember: () => asks({ method: 'POST', path: `${address}/todo`, says: 'It is among your to-dos.' }),
})
