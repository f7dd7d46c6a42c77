// What people said about this hand: notes, stars, tags, the studies it is in. Python keeps them.

function notePlace(view) {
  return view.noteWhere.value === "h" ? "h" : view.steps[view.index].code;
}

function tell(view, order) {
  const who = view.noteWho.value.trim();
  keepChoice("who", who);
  view.asked = (view.asked ?? 0) + 1;
  view.noteMessage.textContent = view.text.note_saving;
  view.component.setTriggerValue("do", { ...order, who, n: view.asked });
}

function sendNote(view) {
  if (!view.noteText.value.trim()) {
    view.noteText.focus();
    return;
  }
  view.clearing = [view.noteText];
  tell(view, { op: "note", place: notePlace(view), text: view.noteText.value });
}

function sendTag(view) {
  view.clearing = [view.noteTag];
  tell(view, { op: "tag", place: notePlace(view), text: view.noteTag.value });
}

function sendStudy(view) {
  view.clearing = [view.studyName, view.studyText];
  const study = view.studyPick.value === "" ? -1 : Number(view.studyPick.value);
  tell(view, { op: "study", study, name: view.studyName.value, text: view.studyText.value });
}

/** A star of this viewer at this place is taken away, or set. */
function toggleStar(view) {
  const place = notePlace(view);
  const who = view.noteWho.value.trim();
  const mine = view.data.notes.marks.find((m) => m.kind === "star" && m.place === place && m.who === who);
  if (mine) tell(view, { op: "remove", id: mine.id });
  else tell(view, { op: "star", place, text: "" });
}

function writeNote(view) {
  view.noteText.scrollIntoView({ block: "center" });
  view.noteText.focus();
}

function labelled(words, field, extra = "") {
  return el("label", { class: `field ${extra}` }, el("span", {}, words), field);
}

function buildNotes(view) {
  const { text } = view;
  view.noteList = el("ul", { class: "notes" });
  view.noteIn = el("p", { class: "remark" });
  view.noteMessage = el("p", { role: "status", "aria-live": "polite", class: "message" });
  view.noteWhere = el("select", { "data-note": "where" }, el("option", { value: "here" }, text.note_here), el("option", { value: "h" }, text.note_hand));
  view.noteText = el("textarea", { rows: 3, maxlength: 4000, "data-note": "text" });
  view.noteWho = el("input", { type: "text", maxlength: 60, autocomplete: "name", "data-note": "who" });
  view.noteWho.value = readChoice("who", "");
  view.tagNames = el("datalist", { id: "pandoeren-tags" });
  view.noteTag = el("input", { type: "text", maxlength: 40, list: "pandoeren-tags", "data-note": "tag" });
  view.studyPick = el("select", { "data-note": "study" });
  view.studyName = el("input", { type: "text", maxlength: 110, "data-note": "study-name" });
  view.studyText = el("input", { type: "text", maxlength: 4000, "data-note": "study-text" });
  const nameField = labelled(text.note_study_name, view.studyName);
  view.studyPick.addEventListener("change", () => { nameField.hidden = view.studyPick.value !== ""; });
  view.studyNameField = nameField;
  const row = (...parts) => el("div", { class: "row" }, ...parts);
  return el("section", { class: "notebox spoiler" }, el("h3", {}, text.h_notes), view.noteList, view.noteMessage,
    labelled(text.note_text, view.noteText, "wide"),
    row(labelled(text.note_where, view.noteWhere), labelled(text.note_who, view.noteWho)),
    row(button(text.note_save, text.note_save, () => sendNote(view), { class: "main", "data-do": "note" }),
      button(text.b_star, text.note_star, () => toggleStar(view), { "data-do": "star" })),
    row(labelled(text.note_tag, view.noteTag), button(text.note_tag_add, text.note_tag_add, () => sendTag(view), { "data-do": "tag" }), view.tagNames),
    row(labelled(text.note_study, view.studyPick), nameField, labelled(text.note_study_comment, view.studyText),
      button(text.note_study_add, text.note_study_add, () => sendStudy(view), { "data-do": "study" })), view.noteIn);
}

function noteRow(view, mark) {
  const { text } = view;
  const who = fill(text.note_by, { who: mark.who || text.note_somebody, at: mark.at });
  const what = mark.kind === "star" ? text.note_star : mark.kind === "tag" ? `${text.note_tag}: ${mark.text}` : mark.text;
  const at = view.steps.findIndex((s) => s.code === mark.place);
  const where = at < 0 ? el("span", { class: "where" }, mark.where) : button(mark.where, mark.where, () => go(view, at), { class: "where" });
  const remove = button(`${text.note_remove}: ${what.slice(0, 60)}`, text.note_remove, () => {
    view.removed = mark.id;
    tell(view, { op: "remove", id: mark.id });
  }, { class: "small" });
  return el("li", { "data-mark": mark.kind }, el("p", { class: `said ${mark.kind}` }, what), where, el("span", { class: "who" }, who), remove);
}

/** New notes from Python: the list is drawn again, what is being written stays. */
function applyNotes(view) {
  const { data, text } = view;
  const { notes } = data;
  view.noteList.replaceChildren(...(notes.marks.length ? notes.marks.map((m) => noteRow(view, m)) : [el("li", { class: "remark" }, text.notes_none)]));
  view.tagNames.replaceChildren(...notes.tags.map((t) => el("option", { value: t })));
  const picked = view.studyPick.value;
  view.studyPick.replaceChildren(...notes.studies.map((s) => el("option", { value: s.id }, s.name)), el("option", { value: "" }, text.note_study_new));
  if (notes.studies.some((s) => String(s.id) === picked)) view.studyPick.value = picked;
  view.studyNameField.hidden = view.studyPick.value !== "";
  const inside = notes.studies.filter((s) => s.has).map((s) => s.name);
  view.noteIn.textContent = inside.length ? fill(text.note_study_in, { list: inside.join(", ") }) : "";
  const answered = view.asked && notes.answered === view.asked;
  view.noteMessage.replaceChildren(notes.message);
  if (answered && !notes.message) {
    for (const field of view.clearing ?? []) field.value = "";
    view.clearing = null;
    if (view.removed) {
      const id = view.removed;
      view.removed = null;
      view.noteMessage.append(`${text.note_removed} `, button(text.note_undo, text.note_undo, () => tell(view, { op: "restore", id }), { class: "small" }));
    }
  }
  view.marked = new Map();
  for (const m of notes.marks) view.marked.set(m.place, (view.marked.get(m.place) ?? "") + (m.kind === "star" ? "★" : m.kind === "note" ? "✎" : "#"));
  view.trickPlays.forEach((node) => {
    const signs = [...new Set(view.marked.get(node.dataset.goto) ?? "")].join("");
    node.querySelector(".signs")?.remove();
    if (signs) node.append(el("span", { class: "signs", "aria-hidden": "true" }, signs));
  });
  drawNotesHere(view);
}

/** Notes at the step on the table are shown under it. */
function drawNotesHere(view) {
  const code = view.steps[view.index].code;
  const here = view.quiz ? [] : view.data.notes.marks.filter((m) => m.place === code && m.kind !== "star");
  view.notesHere.replaceChildren(...here.map((m) => el("p", { class: "note" }, m.kind === "tag" ? `# ${m.text}` : m.text, " ",
    el("span", { class: "who" }, fill(view.text.note_by, { who: m.who || view.text.note_somebody, at: m.at })))));
}
