export function drawDiagrams() {}
