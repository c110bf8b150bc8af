// Runs in browsers: lets people tick the tasks of texts that they may change.

/** Sends a box of a text as the form that its element names. @returns whether it was accepted */
async function send(form: URLSearchParams): Promise<boolean> {
  try {
    return (await fetch(location.href, { method: 'POST', body: form, headers: { accept: 'text/html' } })).ok
  } catch {
    return false
  }
}

/** What was refused is sent again as a form: the page that comes says why. */
function show(fields: URLSearchParams): void {
  const form = document.createElement('form')
  form.method = 'post'
  for (const [name, value] of fields) {
    const input = document.createElement('input')
    Object.assign(input, { type: 'hidden', name, value })
    form.append(input)
  }
  document.body.append(form)
  form.submit()
}

const sendOrShow = async (fields: URLSearchParams): Promise<void> => {
  if (!(await send(fields))) show(fields)
}

/** One after the other: each changes the text that the one before has left. */
let before = Promise.resolve()

for (const text of document.querySelectorAll<HTMLElement>('[data-tasks]')) {
  const boxes = [...text.querySelectorAll<HTMLInputElement>('.task-list-item-checkbox')]
  for (const [index, box] of boxes.entries()) {
    box.disabled = false
    box.addEventListener('change', () => {
      const token = document.querySelector<HTMLInputElement>('input[name="authenticity_token"]')?.value ?? ''
      const fields = new URLSearchParams({
        authenticity_token: token,
        do: text.dataset['tasks'] ?? '',
        task: String(index),
        of: String(boxes.length),
        done: String(box.checked),
      })
      box.ariaLabel = box.checked ? 'Done' : 'To do'
      const count = text.dataset['tasks'] === 'tick' ? document.querySelector('.tasks-done') : null
      if (count !== null)
        count.textContent = `${boxes.filter(({ checked }) => checked).length} of ${boxes.length} done`
      before = before.then(() => sendOrShow(fields))
    })
  }
}
