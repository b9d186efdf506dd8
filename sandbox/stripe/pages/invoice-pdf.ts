import { formatDay, formatMoney } from '../entities/format.ts'
import type { StoredInvoice } from '../state.ts'
import { invoiceState } from './invoice-page.ts'

type Line = { text: string; x: number; y: number; size: number }

const left = 56
const right = 430

/** A one-page PDF for `invoice_pdf`: plain text in a built-in font. */
export function invoicePdf(invoice: StoredInvoice, businessName: string): Buffer {
  const money = (amount: number) => formatMoney({ amount, currency: invoice.currency })
  const lines: Line[] = [
    { text: businessName, x: left, y: 780, size: 11 },
    { text: `Invoice ${invoice.number}`, x: left, y: 745, size: 20 },
    { text: `Date ${formatDay(invoice.created)}`, x: left, y: 720, size: 10 },
    { text: `To ${invoice.customer_name ?? invoice.customer_email ?? '-'}`, x: left, y: 704, size: 10 },
    { text: invoiceState(invoice).text, x: left, y: 688, size: 10 },
  ]
  let y = 650
  for (const { description, amount, period } of invoice.lines.data.slice(0, 16)) {
    lines.push({ text: description ?? '', x: left, y, size: 10 })
    lines.push({ text: money(amount), x: right, y, size: 10 })
    lines.push({ text: `${formatDay(period.start)} - ${formatDay(period.end)}`, x: left, y: y - 13, size: 8 })
    y -= 34
  }
  for (const [term, amount] of [
    ['Total', invoice.total],
    ['Amount paid', invoice.amount_paid],
    ['Amount due', invoice.amount_remaining],
  ] as const) {
    lines.push({ text: term, x: left, y, size: 11 }, { text: money(amount), x: right, y, size: 11 })
    y -= 18
  }
  return document(lines.map(draw).join('\n'))
}

function draw({ text, x, y, size }: Line): string {
  return `BT /F ${size} Tf ${x} ${y} Td (${escapeText(text)}) Tj ET`
}

/** PDF text in WinAnsi: unsupported characters become question marks. */
function escapeText(text: string): string {
  return text
    .replaceAll('€', '\u0080')
    .replaceAll('–', '-')
    .replaceAll(/[^\u0020-\u00ff]/g, '?')
    .replaceAll(/[\\()]/g, (character) => `\\${character}`)
}

function document(content: string): Buffer {
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = body.length
    body += `${index + 1} 0 obj${object}endobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const start = body.length
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  body += `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`
  return Buffer.from(body, 'latin1')
}
