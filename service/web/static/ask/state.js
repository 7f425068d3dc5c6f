// What is known of an answer in the making. Events may come twice or late; each counts once.

export const STAGES = ["understand", "retrieve", "choose", "verify", "write"];
const ENDS = ["done", "failed", "cancelled"];

export const begin = () => ({ last: 0, stages: {}, queued: null, end: null });

// The state after an event {id, type, data}: the same object where the event is an old one.
export const after = (state, { id, type, data }) => {
  const number = /^\d+$/.test(id ?? "") ? Number(id) : null;
  if (state.end) return state;
  const next = { ...state, last: Math.max(state.last, number ?? -1) };
  // The end is the end, whatever its number: a service that has lost its counts begins anew.
  if (ENDS.includes(type)) return { ...next, queued: null, end: { type, ...data } };
  if (number !== null && number <= state.last) return state;
  if (type === "queued") return { ...next, queued: data };
  if (type !== "stage" || !STAGES.includes(data.stage)) return next;
  const known = state.stages[data.stage];
  // A stage never goes back, whatever order its steps arrive in.
  const ended = known?.state === "ended";
  const step = { state: ended ? "ended" : data.state, figures: { ...known?.figures, ...data.figures } };
  return { ...next, queued: null, stages: { ...state.stages, [data.stage]: step } };
};
