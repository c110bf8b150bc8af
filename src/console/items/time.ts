import { type Html, html } from '#platform/http/html.ts'
import { asks } from '../frame/action.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'

interface Times {
  readonly time_estimate: number
  readonly total_time_spent: number
  readonly human_time_estimate: string | null
  readonly human_total_time_spent: string | null
}

/** How much time was spent on an issue or a merge request, and of how much; undefined where nobody said so. */
export function spentOf({ human_time_estimate, human_total_time_spent }: Times): Html | undefined {
  if (human_time_estimate === null && human_total_time_spent === null) return undefined
  return html`${human_total_time_spent ?? 'nothing'} spent
  ${human_time_estimate !== null && html`of ${human_time_estimate}`}`
}

const duration = {
  name: 'duration',
  label: 'Time',
  required: true,
  hint: 'Such as 1h 30m or 2d. A day has 8 hours, a week 5 days.',
} as const

/** The forms with which members say how much time something takes. */
export const timeForms = (forms: Forms, times: Times): Html => html`
  ${forms.write({
    does: 'spend',
    opens: 'Add time',
    submit: 'Add',
    about: 'that was spent',
    fields: [
      { ...duration, hint: `${duration.hint} With a minus, it takes time back.` },
      { name: 'summary', label: 'What it was spent on' },
    ],
  })}
  ${forms.write({ does: 'estimate', opens: 'Estimate', submit: 'Save', about: 'the time that it takes', fields: [duration] })}
  ${times.time_estimate > 0 && forms.write({ does: 'forget-estimate', submit: 'Remove the estimate', looks: 'secondary' })}
`

/** What these forms do. @param address of the item, in the API */
export const timeActions = (address: string): Actions => ({
  spend: () => asks({ method: 'POST', path: `${address}/add_spent_time`, says: 'The time is added.' }),
  estimate: () => asks({ method: 'POST', path: `${address}/time_estimate`, says: 'The estimate is saved.' }),
  'forget-estimate': () =>
    asks({ method: 'POST', path: `${address}/reset_time_estimate`, says: 'The estimate is removed.' }),
})
